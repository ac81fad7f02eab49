#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/callback.h"
#include "lockstep/cohort_mutex.h"
#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/internal/check.h"
#include "lockstep/leader_latch.h"
#include "lockstep/multi_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/recursive_mutex.h"
#include "lockstep/recursive_read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

// Misuse ends the program in every build, and the message names the broken rule.
namespace lockstep {
namespace {

using namespace unit;

class MisuseDeathTest : public SimulatedSessionTest {};

TEST_F(MisuseDeathTest, CheckNamesTheBrokenRule) {
  internal::check(true, "never said");
  EXPECT_DEATH(internal::check(false, "one at a time"), "lockstep: misuse: one at a time");
}

TEST_F(MisuseDeathTest, AskingALiveSessionForItsEndErrorIsMisuse) {
  EXPECT_DEATH(static_cast<void>(session_->end_error()), "a session that is not over");
}

TEST_F(MisuseDeathTest, CheckingAnUnfairMutexInATransactionIsMisuse) {
  UnfairMutex mutex(*session_, "/lock");
  const HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_DEATH(static_cast<void>(held.check()), "the next holder's znode has the same name");
}

TEST_F(MisuseDeathTest, AReadWriteLockOutlivesItsUpgrades) {
  const auto other = simulation_.open("B");
  std::optional<ReadWriteLock> lock(std::in_place, *session_, Path("/lock"));
  ReadWriteLock others(*other, "/lock");
  HeldLock held = must(simulation_.run(lock->acquire_read()), "acquire_read");
  const HeldLock in_the_way = must(simulation_.run(others.acquire_read()), "acquire_read");
  const auto upgraded = start_and_settle(lock->upgrade(held));
  EXPECT_DEATH(lock.reset(), "a ReadWriteLock must outlive the tasks of its acquires");
  simulation_.end_tasks();
}

Task<int> seven() { co_return 7; }

Task<void> await(Task<int>& task) { static_cast<void>(co_await std::move(task)); }

TEST_F(MisuseDeathTest, ATaskThatIsAwaitedTwiceIsMisuse) {
  Task<int> task = seven();
  simulation_.run(await(task));
  EXPECT_DEATH(simulation_.run(await(task)), "a task is awaited once, and not after it was moved");
}

TEST_F(MisuseDeathTest, ATaskThatWasMovedFromIsMisuse) {
  Task<int> task = seven();
  const Task<int> moved = std::move(task);
  EXPECT_DEATH(simulation_.run(await(task)), "a task is awaited once, and not after it was moved");
}

Task<int> wait_for(FakeSession& session) {
  static_cast<void>(co_await session.exists("/a"));
  co_return 7;
}

TEST_F(MisuseDeathTest, ATaskThatIsAwaitedAgainWhileItRunsIsMisuse) {
  Task<int> task = wait_for(*session_);
  simulation_.start(await(task));
  EXPECT_DEATH(simulation_.start(await(task)), "this one is awaited already");
  simulation_.run();
}

TEST_F(MisuseDeathTest, ALockThatIsDestroyedBeforeItsTaskIsMisuse) {
  FairMutex holders(*session_, "/lock");
  const HeldLock held = must(simulation_.run(holders.acquire()), "acquire");
  const auto wait_for_what_is_gone = [&] {
    FairMutex mutex(*session_, "/lock");
    return mutex.acquire();
  };
  EXPECT_DEATH(static_cast<void>(wait_for_what_is_gone()),
               "a FairMutex must outlive the tasks of its acquires");
  const auto destroy_while_it_waits = [&] {
    FairMutex mutex(*session_, "/lock");
    static_cast<void>(simulation_.start(mutex.acquire()));
  };
  EXPECT_DEATH(destroy_while_it_waits(), "a FairMutex must outlive the tasks of its acquires");
}

Task<void> destroy_later(Executor& executor, std::optional<blocking::FairMutex>& mutex) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  mutex.reset();
}

TEST_F(MisuseDeathTest, ABlockingLockThatIsDestroyedWhileACallWaitsIsMisuse) {
  blocking::FairMutex holders(simulation_.client("A"), "/lock");
  const std::lock_guard lock(holders);
  fake::FakeClient& client = simulation_.client("B");
  std::optional<blocking::FairMutex> mutex(std::in_place, client, "/lock");
  simulation_.start(destroy_later(client.executor(), mutex));
  EXPECT_DEATH(mutex->lock(), "a blocking lock is destroyed while a call of it waits");
  simulation_.end_tasks();
}

Task<void> clear_own_set(Executor& executor, TaskSet& tasks) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  tasks.clear();
}

TEST_F(MisuseDeathTest, ATaskThatClearsItsOwnSetIsMisuse) {
  TaskSet tasks;
  tasks.spawn(clear_own_set(simulation_.client("A").executor(), tasks));
  EXPECT_DEATH(simulation_.run(), "a task destroys itself while it runs");
}

Task<void> start_what_clears_the_set(TaskSet& tasks) {
  TaskSet others;
  start(others, seven(), [&tasks](int) { tasks.clear(); });
  co_return;
}

TEST_F(MisuseDeathTest, ATaskThatIsDestroyedByOneThatItStartedIsMisuse) {
  TaskSet tasks;
  EXPECT_DEATH(tasks.spawn(start_what_clears_the_set(tasks)),
               "a task destroys itself while it runs");
}

template <class Lock, class Acquire>
void destroy_before_the_task(Lock lock, Acquire acquire) {
  std::optional<Lock> short_lived(std::move(lock));
  const auto task = acquire(*short_lived);
  short_lived.reset();
}

TEST_F(MisuseDeathTest, EveryLockNamesItselfIfItIsDestroyedBeforeItsTask) {
  const auto acquire = [](auto& lock) { return lock.acquire(); };
  EXPECT_DEATH(destroy_before_the_task(UnfairMutex(*session_, "/lock"), acquire),
               "an UnfairMutex must outlive");
  EXPECT_DEATH(destroy_before_the_task(Semaphore(*session_, "/lock", 1), acquire),
               "a Semaphore must outlive");
  EXPECT_DEATH(destroy_before_the_task(Semaphore(*session_, "/lock", 2),
                                       [](Semaphore& lock) { return lock.acquire(2); }),
               "a Semaphore must outlive");
  EXPECT_DEATH(destroy_before_the_task(ReadWriteLock(*session_, "/lock"),
                                       [](ReadWriteLock& lock) { return lock.acquire_read(); }),
               "a ReadWriteLock must outlive");
  EXPECT_DEATH(destroy_before_the_task(MultiLock(*session_, {"/a", "/b"}), acquire),
               "a MultiLock must outlive");
  EXPECT_DEATH(destroy_before_the_task(DoubleBarrier(*session_, "/lock", 2),
                                       [](DoubleBarrier& barrier) { return barrier.enter(); }),
               "a DoubleBarrier must outlive");
}

TEST_F(MisuseDeathTest, ACohortMutexOutlivesItsTasksAndItsHolds) {
  constexpr const char* kRule = "a CohortMutex must outlive its tasks and its holds";
  std::optional<CohortMutex> mutex(std::in_place, *session_, Path("/lock"));
  {
    const Task<Result<CohortMutex::Hold>> task = mutex->acquire();
    EXPECT_DEATH(mutex.reset(), kRule);
  }
  std::optional<CohortMutex::Hold> hold = must(simulation_.run(mutex->acquire()), "acquire");
  EXPECT_DEATH(mutex.reset(), kRule);
  const auto waiting = start_and_settle(mutex->acquire());
  hold.reset();
  simulation_.settle();
  EXPECT_TRUE(waiting.done());
  EXPECT_DEATH(mutex.reset(), kRule);
  simulation_.end_tasks();
}

TEST_F(MisuseDeathTest, ARecursiveLockOutlivesItsHolds) {
  const LockOwner owner(this);
  std::optional<RecursiveMutex> mutex(std::in_place, *session_, Path("/mutex"));
  const auto held = must(simulation_.run(mutex->acquire(owner)), "acquire");
  EXPECT_DEATH(mutex.reset(), "a RecursiveMutex must outlive its holds");
  std::optional<RecursiveReadWriteLock> sides(std::in_place, *session_, Path("/sides"));
  const auto read = must(simulation_.run(sides->acquire_read(owner)), "acquire_read");
  EXPECT_DEATH(sides.reset(), "a RecursiveReadWriteLock must outlive its holds");
}

class SilentListener final : public LeaderLatch::Listener {
  void leads(const ClientGrant&) override {}
  void leads_no_more(std::optional<Error>) override {}
};

TEST_F(MisuseDeathTest, ALeaderLatchOutlivesItsTask) {
  SilentListener listener;
  std::optional<LeaderLatch> latch(std::in_place, simulation_.client("B"), Path("/election"),
                                   LockOptions(), listener);
  const auto taking_part = start_and_settle(latch->take_part());
  EXPECT_TRUE(latch->leads());
  EXPECT_DEATH(latch.reset(), "a LeaderLatch must outlive the task of its take_part()");
  simulation_.end_tasks();
}

TEST_F(MisuseDeathTest, SecondWaiterOfAWatchIsMisuse) {
  const Watch watch = must(simulation_.run(watch_exists(*session_, "/a")), "watch");
  const auto first = simulation_.start(fired(watch));
  EXPECT_DEATH(simulation_.start(fired(watch)), "one waiter at a time");
  must(simulation_.run(create(*session_, "/a")), "create");
}

TEST_F(MisuseDeathTest, ExpiryOfAnUnknownSessionIsMisuse) {
  const auto unknown = simulation_.client("B").current();
  EXPECT_DEATH(simulation_.expire(*unknown), "does not know this session");
}

}  // namespace
}  // namespace lockstep
