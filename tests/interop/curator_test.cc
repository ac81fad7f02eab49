#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "interop/fleet.h"
#include "interop/handoffs.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_count.h"
#include "support/lab.h"

namespace lockstep::interop {
namespace {

using support::must;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto kRead = [](ReadWriteLock& lock, Context context) {
  return lock.acquire_read(std::move(context));
};
constexpr auto kWrite = [](ReadWriteLock& lock, Context context) {
  return lock.acquire_write(std::move(context));
};

class CuratorTest : public FleetTest {
 protected:
  CuratorTest() : FleetTest(Library::kCurator) {}
};

Task<void> pass_a_mutex(Fleet& fleet, std::string recipe, int rounds) {
  std::vector<Task<void>> ours;
  for (int i = 0; i < 3; ++i) {
    const auto session = co_await fleet.open();
    ours.push_back(pass_through(session, FairMutex(*session, Fleet::lock()), kAcquire, rounds));
  }
  std::vector<std::string> others(3, on_lock(recipe));
  co_await contend(fleet, std::move(others), rounds, std::move(ours));
}

TEST_F(CuratorTest, AMutexGoesFromHandToHand) {
  expect_sound(pass_a_mutex(fleet_, "mutex", 400), 2400U);
}

Task<void> pass_a_read_write_lock(Fleet& fleet) {
  constexpr int kRounds = 120;
  std::vector<Task<void>> ours;
  for (int i = 0; i < 4; ++i) {
    const auto session = co_await fleet.open();
    ReadWriteLock lock(*session, Fleet::lock());
    ours.push_back(i < 2 ? pass_through(session, lock, kRead, kRounds)
                         : pass_through(session, lock, kWrite, kRounds));
  }
  std::vector<std::string> others;
  for (const char* recipe : {"read", "read", "write", "write"}) others.push_back(on_lock(recipe));
  co_await contend(fleet, std::move(others), kRounds, std::move(ours));
}

TEST_F(CuratorTest, ReadersAndWritersTakeTurns) {
  expect_sound(pass_a_read_write_lock(fleet_), 960U);
}

Task<void> pass_leases(Fleet& fleet) {
  constexpr int kRounds = 60;
  std::vector<Task<void>> ours;
  for (int i = 0; i < 3; ++i) {
    const auto session = co_await fleet.open();
    Semaphore semaphore(*session, Fleet::lock(), 2);
    ours.push_back(pass_through(session, std::move(semaphore), kAcquire, kRounds));
  }
  std::vector<std::string> others(3, on_lock("semaphore") + " 2");
  co_await contend(fleet, std::move(others), kRounds, std::move(ours));
}

TEST_F(CuratorTest, LeasesAreCountedTogether) { expect_sound(pass_leases(fleet_), 360U, 2); }

Task<void> change_the_shared_count(Fleet& fleet) {
  const Path count = Fleet::parent() / "count";
  const Other first(fleet, 1);
  const Other second(fleet, 2);
  static_cast<void>(co_await first.open());
  static_cast<void>(co_await second.open());
  const std::string recipe = on_lock("semaphore") + " " + count.string();
  EXPECT_EQ(co_await first.ask("set-count " + count.string() + " 1"), "set");
  co_await first.hold(recipe);

  const auto session = co_await fleet.open();
  Semaphore semaphore(*session, Fleet::lock(), count);
  const auto leases = [&semaphore] { return semaphore.leases(); };
  Ours ours(semaphore.acquire());
  co_await until_queue(fleet, 2, leases);
  EXPECT_FALSE(ours.done());
  EXPECT_EQ(co_await second.ask("set-count " + count.string() + " 2"), "set");
  HeldLock held = must(co_await ours.result(fleet), "acquire");
  co_await enter(*session, held);

  second.tell("lock -1 " + recipe);
  co_await until_queue(fleet, 3, leases);
  EXPECT_EQ(fleet.others().answer(2), std::nullopt);
  must(co_await set_shared_count(*session, count, 3), "set the count");
  co_await second.enter();
  co_await first.leave();
  co_await second.leave();
  static_cast<void>(co_await leave(*session, held));
}

TEST_F(CuratorTest, ASharedCapacityIsOneNumberForBoth) {
  expect_sound(change_the_shared_count(fleet_), 3U, 3);
}

Task<void> give_up_everywhere(Fleet& fleet) {
  const auto session = co_await fleet.open();
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open());
  FairMutex mutex(*session, Fleet::parent() / "mutex");
  co_await give_up(fleet, other, std::move(mutex), kAcquire, "mutex /fleet/mutex");
  ReadWriteLock shared(*session, Fleet::parent() / "shared");
  co_await give_up(fleet, other, std::move(shared), kRead, "write /fleet/shared");
  Semaphore semaphore(*session, Fleet::parent() / "semaphore", 1);
  co_await give_up(fleet, other, std::move(semaphore), kAcquire, "semaphore /fleet/semaphore 1");
  // Waits for the removals in the background.
  must(co_await session->sync(Fleet::parent()), "sync");
}

TEST_F(CuratorTest, AContenderThatGivesUpLeavesNothingBehind) {
  expect_sound(give_up_everywhere(fleet_), 3U);
}

TEST_F(CuratorTest, AStoppedProcessLosesTheLockToOurs) {
  expect_sound(stop_the_other_holder(fleet_, LockOptions()), 3U);
}

TEST_F(CuratorTest, OurHolderKnowsOfItsLossBeforeTheOtherHolds) {
  expect_sound(isolate_our_holder(fleet_, LockOptions()), 2U);
}

// The queue: ours, theirs, ours, theirs. The two in the middle lose their sessions. Curator's must
// wait by then: between its list and the reply to its watch it would not notice the loss, and would
// wait without a znode. Replies come in order, so a later reply shows that it has that one.
Task<void> kill_those_in_the_middle(Fleet& fleet) {
  const auto session = co_await fleet.open();
  const auto waiting = co_await fleet.open();
  FairMutex mutex(*session, Fleet::lock());
  FairMutex behind(*waiting, Fleet::lock());
  const auto contenders = [&mutex] { return mutex.contenders(); };
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  co_await enter(*session, held);
  const Other victim(fleet, 1);
  const Other last(fleet, 2);
  const zookeeper::Credentials its_session = co_await victim.open();
  static_cast<void>(co_await last.open());
  victim.tell("lock -1 " + on_lock("mutex"));
  co_await until_queue(fleet, 2, contenders);
  co_await fleet.until_watching(its_session);
  co_await victim.round_trip();
  Ours ours(behind.acquire());
  co_await until_queue(fleet, 3, contenders);
  last.tell("lock -1 " + on_lock("mutex"));
  co_await until_queue(fleet, 4, contenders);

  co_await fleet.kill(*waiting);
  EXPECT_EQ((co_await ours.result(fleet)).error(), Error::kSessionExpired);
  co_await fleet.kill(1, its_session);  // Curator queues up again, at the end.
  co_await until_queue(fleet, 3, contenders);
  EXPECT_EQ(fleet.others().answer(2), std::nullopt);
  static_cast<void>(co_await leave(*session, held));
  co_await last.enter();
  co_await last.leave();
  co_await victim.enter();
  co_await victim.leave();
}

TEST_F(CuratorTest, WaitersThatLoseTheirSessionsLeaveTheOrderIntact) {
  expect_sound(kill_those_in_the_middle(fleet_), 3U);
}

// Curator's own downgrade is left out: before 5.5 it lets a writer in beside the reader
// (CURATOR-621), and Debian has 5.4.0.
Task<void> downgrade_before_their_writer(Fleet& fleet) {
  const auto session = co_await fleet.open();
  ReadWriteLock lock(*session, Fleet::lock());
  const auto contenders = [&lock] { return lock.contenders(); };
  const Other writer(fleet, 1);
  const Other reader(fleet, 2);
  const Other hasty(fleet, 3);
  static_cast<void>(co_await writer.open());
  static_cast<void>(co_await reader.open());
  static_cast<void>(co_await hasty.open());
  HeldLock held = must(co_await lock.acquire_write(), "acquire");
  co_await enter(*session, held);
  writer.tell("lock -1 " + on_lock("write"));
  co_await until_queue(fleet, 2, contenders);
  reader.tell("lock -1 " + on_lock("read"));
  co_await until_queue(fleet, 3, contenders);

  must(co_await lock.downgrade(held), "downgrade");
  co_await enter(*session, held);
  EXPECT_EQ(co_await hasty.ask("lock 200 " + on_lock("write")), "refused");
  EXPECT_EQ(fleet.others().answer(1), std::nullopt);
  static_cast<void>(co_await leave(*session, held));
  co_await writer.enter();
  co_await writer.leave();
  co_await reader.enter();
  co_await reader.leave();
}

TEST_F(CuratorTest, OurDowngradeKeepsTheirWritersOut) {
  expect_sound(downgrade_before_their_writer(fleet_), 4U);
}

// The znodes of a downgrade as Curator makes them since 5.5, made by hand: the reader is a plain
// ephemeral with its writer's number. Its end is no event for those that wait for the writer.
Task<void> downgrade_by_hand(Fleet& fleet) {
  const auto by_hand = co_await fleet.open();
  const auto reading = co_await fleet.open();
  const auto writing = co_await fleet.open();
  must(co_await by_hand->create(Fleet::lock(), Data(), CreateMode::kPersistent), "create");
  Path writer = Fleet::lock() / "_c_0b4dc0de-__WRIT__";
  const Created own =
      must(co_await by_hand->create(writer, Data(), CreateMode::kEphemeralSequential), "create");
  ReadWriteLock readers(*reading, Fleet::lock());
  ReadWriteLock writers(*writing, Fleet::lock());
  const auto contenders = [&readers] { return readers.contenders(); };
  Ours read(readers.acquire_read());
  co_await until_queue(fleet, 2, contenders);
  Ours write(writers.acquire_write());
  co_await until_queue(fleet, 3, contenders);

  const std::string number = own.path.string().substr(own.path.string().size() - 10);
  const Path inherited = Fleet::lock() / ("_c_5eed-__READ__" + number);
  must(co_await by_hand->create(inherited, Data(), CreateMode::kEphemeral), "create");
  must(co_await by_hand->remove(own.path), "remove");
  HeldLock reader = must(co_await read.result(fleet), "acquire");
  co_await enter(*reading, reader);
  static_cast<void>(co_await leave(*reading, reader));
  EXPECT_EQ((co_await writers.try_acquire_read()).error(), Error::kConflict);
  EXPECT_FALSE(write.done());
  must(co_await by_hand->remove(inherited), "remove");
  HeldLock last = must(co_await write.result(fleet), "acquire");
  co_await enter(*writing, last);
  static_cast<void>(co_await leave(*writing, last));
}

TEST_F(CuratorTest, TheReaderOfADowngradeKeepsItsWritersPlace) {
  expect_sound(downgrade_by_hand(fleet_), 2U);
}

// Broken contenders, which prove that every check above can fail.

TEST_F(CuratorTest, ABrokenMutexIsNoticedInTheCrowd) {
  fleet_.run(pass_a_mutex(fleet_, "broken-mutex", 20));
  EXPECT_THAT(fleet_.verdict().violations, Not(IsEmpty()));
}

Task<void> break_everything(Fleet& fleet) {
  const auto session = co_await fleet.open();
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open());
  FairMutex mutex(*session, Fleet::parent() / "mutex");
  HeldLock mutex_held = must(co_await mutex.acquire(), "acquire");
  co_await other.hold("broken-mutex /fleet/mutex");  // In front of ours, which has not entered.
  co_await other.leave();

  ReadWriteLock shared(*session, Fleet::parent() / "shared");
  HeldLock written = must(co_await shared.acquire_write(), "acquire");
  co_await enter(*session, written);
  co_await other.hold("broken-read /fleet/shared");
  co_await other.leave();

  Semaphore semaphore(*session, Fleet::parent() / "semaphore", 1);
  HeldLock lease = must(co_await semaphore.acquire(), "acquire");
  co_await enter(*session, lease);
  co_await other.hold("semaphore /fleet/semaphore 2");  // With another limit.
  co_await other.leave();

  // Curator sorts names with unknown marks as a whole, so it overlooks kazoo's contenders.
  const Path mixed = Fleet::parent() / "mixed";
  must(co_await session->create(mixed, Data(), CreateMode::kPersistent), "create");
  const Created kazoos = must(
      co_await session->create(mixed / "f00d__lock__", Data(), CreateMode::kEphemeralSequential),
      "create");
  co_await other.hold("mutex /fleet/mixed");
  co_await other.leave();
  must(co_await session->remove(kazoos.path), "remove");

  EXPECT_EQ(co_await other.ask("queue-and-forget /fleet/mutex"), "forgotten");
  static_cast<void>(co_await mutex_held.release());
  static_cast<void>(co_await written.release());
  static_cast<void>(co_await lease.release());
}

TEST_F(CuratorTest, BrokenContendersAreNoticed) {
  fleet_.run(break_everything(fleet_));
  EXPECT_THAT(fleet_.verdict().violations,
              ElementsAre(HasSubstr("enters before"), HasSubstr("is inside"),
                          EndsWith("takes a lease too many"),
                          HasSubstr("enters before f00d__lock__"), EndsWith("is left at the end")));
}

}  // namespace
}  // namespace lockstep::interop
