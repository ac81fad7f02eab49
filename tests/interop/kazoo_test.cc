#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "interop/fleet.h"
#include "interop/handoffs.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/sequence.h"
#include "support/lab.h"

namespace lockstep::interop {
namespace {

using support::must;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array kBothMarks = {Mark{kLockMark, Share::kExclusive},
                                   Mark{"__lock__", Share::kExclusive}};

LockOptions with_marks(Marks marks) {
  LockOptions options;
  options.marks = marks;
  return options;
}

// Kazoo does not create its lock's path again after the server has reaped the container.
Task<void> create_lock(Session& session) {
  must(co_await session.create(Fleet::lock(), Data(), CreateMode::kPersistent), "create");
}

class KazooTest : public FleetTest {
 protected:
  KazooTest() : FleetTest(Library::kKazoo) {}
};

Task<void> pass_a_mutex(Fleet& fleet, std::string recipe, Marks marks, int rounds) {
  std::vector<Task<void>> ours;
  for (int i = 0; i < 3; ++i) {
    const auto session = co_await fleet.open();
    if (i == 0) co_await create_lock(*session);
    FairMutex mutex(*session, Fleet::lock(), with_marks(marks));
    ours.push_back(pass_through(session, std::move(mutex), kAcquire, rounds));
  }
  std::vector<std::string> others(3, on_lock(recipe));
  co_await contend(fleet, std::move(others), rounds, std::move(ours));
}

TEST_F(KazooTest, AMutexGoesFromHandToHand) {
  expect_sound(pass_a_mutex(fleet_, "mutex", kBothMarks, 250), 1500U);
}

Task<void> give_up_and_be_stopped(Fleet& fleet) {
  const auto session = co_await fleet.open();
  co_await create_lock(*session);
  const Other other(fleet, 2);
  static_cast<void>(co_await other.open());
  FairMutex mutex(*session, Fleet::lock(), with_marks(kBothMarks));
  co_await give_up(fleet, other, std::move(mutex), kAcquire, on_lock("mutex"));
  co_await stop_the_other_holder(fleet, with_marks(kBothMarks));
}

TEST_F(KazooTest, AContenderGivesUpAndAStoppedOneLosesTheLock) {
  expect_sound(give_up_and_be_stopped(fleet_), 4U);
}

Task<void> lose_the_lock_to_kazoo(Fleet& fleet) {
  const auto session = co_await fleet.open();
  co_await create_lock(*session);
  co_await isolate_our_holder(fleet, with_marks(kBothMarks));
}

TEST_F(KazooTest, OurHolderKnowsOfItsLossBeforeTheOtherHolds) {
  expect_sound(lose_the_lock_to_kazoo(fleet_), 2U);
}

// A contender with an unknown mark does not count.

TEST_F(KazooTest, AKazooLockWithoutOurMarkIsNoticed) {
  fleet_.run(pass_a_mutex(fleet_, "broken-mutex", kBothMarks, 100));
  EXPECT_THAT(fleet_.verdict().violations, Contains(HasSubstr("is inside")));
}

TEST_F(KazooTest, ALockOfOursWithoutKazoosMarkIsNoticed) {
  fleet_.run(pass_a_mutex(fleet_, "mutex", kMutexMarks, 100));
  EXPECT_THAT(fleet_.verdict().violations, Not(IsEmpty()));
}

}  // namespace
}  // namespace lockstep::interop
