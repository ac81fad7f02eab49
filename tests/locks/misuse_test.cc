#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/callback.h"
#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/internal/check.h"
#include "lockstep/multi_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

// Misuse ends the program in every build, and the message names the broken rule.
namespace lockstep {
namespace {

using namespace unit;

TEST(MisuseDeathTest, CheckNamesTheBrokenRule) {
  internal::check(true, "never said");
  EXPECT_DEATH(internal::check(false, "one at a time"), "lockstep: misuse: one at a time");
}

TEST(MisuseDeathTest, AskingALiveSessionForItsEndErrorIsMisuse) {
  Simulation simulation;
  const auto session = simulation.open("A");
  EXPECT_DEATH(static_cast<void>(session->end_error()), "a session that is not over");
}

TEST(MisuseDeathTest, CheckingAnUnfairMutexInATransactionIsMisuse) {
  Simulation simulation;
  const auto session = simulation.open("A");
  UnfairMutex mutex(*session, "/lock");
  const HeldLock held = must(simulation.run(mutex.acquire()), "acquire");
  EXPECT_DEATH(static_cast<void>(held.check()), "the next holder's znode has the same name");
}

TEST(MisuseDeathTest, AReadWriteLockOutlivesItsUpgrades) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto other = simulation.open("B");
  std::optional<ReadWriteLock> lock(std::in_place, *session, Path("/lock"));
  ReadWriteLock others(*other, "/lock");
  HeldLock held = must(simulation.run(lock->acquire_read()), "acquire_read");
  const HeldLock in_the_way = must(simulation.run(others.acquire_read()), "acquire_read");
  const auto upgraded = simulation.start(lock->upgrade(held));
  simulation.settle();
  EXPECT_DEATH(lock.reset(), "a ReadWriteLock must outlive the tasks of its acquires");
  simulation.end_tasks();
}

Task<int> seven() { co_return 7; }

Task<void> await(Task<int>& task) { static_cast<void>(co_await std::move(task)); }

TEST(MisuseDeathTest, ATaskThatIsAwaitedTwiceIsMisuse) {
  Simulation simulation;
  Task<int> task = seven();
  simulation.run(await(task));
  EXPECT_DEATH(simulation.run(await(task)), "a task is awaited once, and not after it was moved");
}

TEST(MisuseDeathTest, ATaskThatWasMovedFromIsMisuse) {
  Simulation simulation;
  Task<int> task = seven();
  const Task<int> moved = std::move(task);
  EXPECT_DEATH(simulation.run(await(task)), "a task is awaited once, and not after it was moved");
}

Task<int> wait_for(FakeSession& session) {
  static_cast<void>(co_await session.exists("/a"));
  co_return 7;
}

TEST(MisuseDeathTest, ATaskThatIsAwaitedAgainWhileItRunsIsMisuse) {
  Simulation simulation;
  const auto session = simulation.open("A");
  Task<int> task = wait_for(*session);
  simulation.start(await(task));
  EXPECT_DEATH(simulation.start(await(task)), "this one is awaited already");
  simulation.run();
}

TEST(MisuseDeathTest, ALockThatIsDestroyedBeforeItsTaskIsMisuse) {
  Simulation simulation;
  const auto session = simulation.open("A");
  FairMutex holders(*session, "/lock");
  const HeldLock held = must(simulation.run(holders.acquire()), "acquire");
  const auto wait_for_what_is_gone = [&] {
    FairMutex mutex(*session, "/lock");
    return mutex.acquire();
  };
  EXPECT_DEATH(static_cast<void>(wait_for_what_is_gone()),
               "a FairMutex must outlive the tasks of its acquires");
  const auto destroy_while_it_waits = [&] {
    FairMutex mutex(*session, "/lock");
    static_cast<void>(simulation.start(mutex.acquire()));
  };
  EXPECT_DEATH(destroy_while_it_waits(), "a FairMutex must outlive the tasks of its acquires");
}

Task<void> destroy_later(Executor& executor, std::optional<blocking::FairMutex>& mutex) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  mutex.reset();
}

TEST(MisuseDeathTest, ABlockingLockThatIsDestroyedWhileACallWaitsIsMisuse) {
  Simulation simulation;
  blocking::FairMutex holders(simulation.client("A"), "/lock");
  const std::lock_guard lock(holders);
  fake::FakeClient& client = simulation.client("B");
  std::optional<blocking::FairMutex> mutex(std::in_place, client, "/lock");
  simulation.start(destroy_later(client.executor(), mutex));
  EXPECT_DEATH(mutex->lock(), "a blocking lock is destroyed while a call of it waits");
  simulation.end_tasks();
}

Task<void> clear_own_set(Executor& executor, TaskSet& tasks) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  tasks.clear();
}

TEST(MisuseDeathTest, ATaskThatClearsItsOwnSetIsMisuse) {
  Simulation simulation;
  TaskSet tasks;
  tasks.spawn(clear_own_set(simulation.client("A").executor(), tasks));
  EXPECT_DEATH(simulation.run(), "a task destroys itself while it runs");
}

Task<void> start_what_clears_the_set(TaskSet& tasks) {
  TaskSet others;
  start(others, seven(), [&tasks](int) { tasks.clear(); });
  co_return;
}

TEST(MisuseDeathTest, ATaskThatIsDestroyedByOneThatItStartedIsMisuse) {
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

TEST(MisuseDeathTest, EveryLockNamesItselfIfItIsDestroyedBeforeItsTask) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto acquire = [](auto& lock) { return lock.acquire(); };
  EXPECT_DEATH(destroy_before_the_task(UnfairMutex(*session, "/lock"), acquire),
               "an UnfairMutex must outlive");
  EXPECT_DEATH(destroy_before_the_task(Semaphore(*session, "/lock", 1), acquire),
               "a Semaphore must outlive");
  EXPECT_DEATH(destroy_before_the_task(Semaphore(*session, "/lock", 2),
                                       [](Semaphore& lock) { return lock.acquire(2); }),
               "a Semaphore must outlive");
  EXPECT_DEATH(destroy_before_the_task(ReadWriteLock(*session, "/lock"),
                                       [](ReadWriteLock& lock) { return lock.acquire_read(); }),
               "a ReadWriteLock must outlive");
  EXPECT_DEATH(destroy_before_the_task(MultiLock(*session, {"/a", "/b"}), acquire),
               "a MultiLock must outlive");
  EXPECT_DEATH(destroy_before_the_task(DoubleBarrier(*session, "/lock", 2),
                                       [](DoubleBarrier& barrier) { return barrier.enter(); }),
               "a DoubleBarrier must outlive");
}

TEST(MisuseDeathTest, SecondWaiterOfAWatchIsMisuse) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const Watch watch = must(simulation.run(watch_exists(*session, "/a")), "watch");
  const auto first = simulation.start(fired(watch));
  EXPECT_DEATH(simulation.start(fired(watch)), "one waiter at a time");
  must(simulation.run(create(*session, "/a")), "create");
}

TEST(MisuseDeathTest, ExpiryOfAnUnknownSessionIsMisuse) {
  Simulation simulation;
  const auto session = simulation.client("A").current();
  EXPECT_DEATH(simulation.expire(*session), "does not know this session");
}

}  // namespace
}  // namespace lockstep
