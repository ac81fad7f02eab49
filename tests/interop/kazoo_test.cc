#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
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

std::string on_lock(const std::string& recipe) { return recipe + " " + Fleet::lock().string(); }

// Kazoo does not create its lock's path again after the server has reaped the container.
Task<void> create_lock(Session& session) {
  must(co_await session.create(Fleet::lock(), Data(), CreateMode::kPersistent), "create");
}

Task<void> pass_a_mutex(Fleet& fleet, std::string recipe, Marks marks, int rounds) {
  constexpr auto kTake = [](FairMutex& mutex) { return mutex.acquire(); };
  std::vector<Task<void>> ours;
  for (int i = 0; i < 3; ++i) {
    const auto session = co_await fleet.open();
    if (i == 0) co_await create_lock(*session);
    FairMutex mutex(*session, Fleet::lock(), with_marks(marks));
    ours.push_back(pass_through(session, std::move(mutex), kTake, rounds));
  }
  std::vector<std::string> others(3, on_lock(recipe));
  co_await contend(fleet, std::move(others), rounds, std::move(ours));
}

TEST(KazooTest, AMutexGoesFromHandToHand) {
  Fleet fleet(Library::kKazoo);
  fleet.run(pass_a_mutex(fleet, "mutex", kBothMarks, 250));
  expect_sound(fleet, 1500U);
}

Task<void> give_up_and_be_stopped(Fleet& fleet) {
  const auto session = co_await fleet.open();
  co_await create_lock(*session);
  FairMutex mutex(*session, Fleet::lock(), with_marks(kBothMarks));
  const auto contenders = [&mutex] { return mutex.contenders(); };
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open(kShortSessionTimeout));
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(co_await other.ask("lock 200 " + on_lock("mutex")), "refused");
  static_cast<void>(co_await held.release());
  co_await other.hold(on_lock("mutex"));
  EXPECT_EQ((co_await mutex.acquire(std::chrono::milliseconds(200))).error(), Error::kTimedOut);
  Ours ours(mutex.acquire());
  co_await until_queue(fleet, 2, contenders);

  fleet.others().signal(SIGSTOP);
  held = must(co_await ours.result(fleet), "acquire");
  co_await enter(*session, held);
  fleet.others().signal(SIGCONT);
  EXPECT_EQ(co_await other.ask("await-loss"), "lost");
  EXPECT_EQ(co_await other.ask("unlock"), "released");  // The znode is gone.
  other.tell("lock -1 " + on_lock("mutex"));
  co_await until_queue(fleet, 2, contenders);
  co_await leave(*session, held);
  static_cast<void>(co_await held.release());
  co_await other.enter();
  co_await other.leave();
}

TEST(KazooTest, AContenderGivesUpAndAStoppedOneLosesTheLock) {
  Fleet fleet(Library::kKazoo);
  fleet.run(give_up_and_be_stopped(fleet));
  expect_sound(fleet, 3U);
}

Task<void> lose_the_lock_to_kazoo(Fleet& fleet) {
  const auto session = co_await fleet.open(kShortSessionTimeout);
  const auto spectator = co_await fleet.open();
  co_await create_lock(*spectator);
  FairMutex mutex(*session, Fleet::lock(), with_marks(kBothMarks));
  FairMutex seen(*spectator, Fleet::lock(), with_marks(kBothMarks));
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  co_await enter(*session, held);
  const std::stop_token lost = held.lost_token();
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open());
  other.tell("lock -1 " + on_lock("mutex"));
  const auto contenders = [&seen] { return seen.contenders(); };
  co_await until_queue(fleet, 2, contenders);

  co_await fleet.expire(*session);
  co_await other.enter();
  EXPECT_TRUE(lost.stop_requested());
  co_await other.leave();
}

TEST(KazooTest, OurHolderKnowsOfItsLossBeforeTheOtherHolds) {
  Fleet fleet(Library::kKazoo);
  fleet.run(lose_the_lock_to_kazoo(fleet));
  expect_sound(fleet, 2U);
}

// A contender with an unknown mark does not count.

TEST(KazooTest, AKazooLockWithoutOurMarkIsNoticed) {
  Fleet fleet(Library::kKazoo);
  fleet.run(pass_a_mutex(fleet, "broken-mutex", kBothMarks, 20));
  EXPECT_THAT(fleet.verdict().violations, Contains(HasSubstr("is inside")));
}

TEST(KazooTest, ALockOfOursWithoutKazoosMarkIsNoticed) {
  Fleet fleet(Library::kKazoo);
  fleet.run(pass_a_mutex(fleet, "mutex", kMutexMarks, 20));
  EXPECT_THAT(fleet.verdict().violations, Not(IsEmpty()));
}

}  // namespace
}  // namespace lockstep::interop
