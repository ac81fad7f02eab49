#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <string>
#include <system_error>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/contenders.h"
#include "lockstep/error_code.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class BlockingTest : public SimulatedTest {
 protected:
  std::vector<std::string> queue() { return children(simulation_, "/lock"); }

  fake::FakeClient& ann_ = simulation_.client("Ann");
  fake::FakeClient& bob_ = simulation_.client("Bob");
  blocking::FairMutex anns_{ann_, "/lock"};
  blocking::FairMutex bobs_{bob_, "/lock"};
};

TEST_F(BlockingTest, LockGuardHoldsTheLockInZookeeper) {
  {
    const std::lock_guard lock(anns_);
    EXPECT_EQ(queue().size(), 1U);
    EXPECT_EQ(anns_.state(), LockState::kHeld);
    EXPECT_GT(anns_.fencing_token(), 0);
    EXPECT_EQ(anns_.check().op, OpCode::kCheck);
  }
  EXPECT_TRUE(queue().empty());
}

TEST_F(BlockingTest, TryLockIsFalseWhileAnotherContenderHolds) {
  const std::unique_lock lock(anns_);
  const TimePoint before = simulation_.now();
  EXPECT_FALSE(std::unique_lock(bobs_, std::try_to_lock).owns_lock());
  EXPECT_EQ(simulation_.now(), before);
  simulation_.settle();
  EXPECT_EQ(queue().size(), 1U);
}

TEST_F(BlockingTest, TryLockForTakesVirtualTime) {
  const std::unique_lock lock(anns_);
  const TimePoint before = simulation_.now();
  EXPECT_FALSE(std::unique_lock(bobs_, 30s).owns_lock());
  EXPECT_EQ(simulation_.now(), before + 30s);
  EXPECT_FALSE(std::unique_lock(bobs_, simulation_.now() + 5s).owns_lock());
  EXPECT_EQ(simulation_.now(), before + 35s);
}

TEST_F(BlockingTest, TryLockForGetsALockThatBecomesFreeInTime) {
  const auto anns = simulation_.open("Ann's other session");
  FairMutex mutex(*anns, "/lock");
  const auto hold_for_a_while = [](FairMutex& of, Executor& executor) -> Task<void> {
    HeldLock held = must(co_await of.acquire(), "acquire");
    static_cast<void>(co_await sleep_for(executor, 2s));
    static_cast<void>(co_await held.release());
  };
  simulation_.start(hold_for_a_while(mutex, anns->executor()));
  simulation_.settle();
  const TimePoint before = simulation_.now();
  EXPECT_FALSE(bobs_.try_lock_for(0.5s));
  EXPECT_TRUE(bobs_.try_lock_for(std::chrono::hours::max()));
  EXPECT_EQ(simulation_.now(), before + 2s);
  bobs_.unlock();
}

TEST_F(BlockingTest, APassedDeadlineSendsNoRequest) {
  anns_.lock();
  anns_.unlock();
  const RequestCounter requests(simulation_);
  EXPECT_FALSE(anns_.try_lock_until(simulation_.now()));
  EXPECT_FALSE(anns_.try_lock_for(0s));
  EXPECT_FALSE(anns_.try_lock_for(-1h));
  EXPECT_FALSE(anns_.try_lock_for(std::chrono::hours::min()));
  EXPECT_EQ(requests.total(), 0U);
}

TEST_F(BlockingTest, ScopedLockTakesSeveral) {
  blocking::FairMutex a(ann_, "/a");
  blocking::UnfairMutex b(ann_, "/b");
  blocking::ReadWriteLock c(ann_, "/c");
  {
    const std::scoped_lock all(a, b, c);
    EXPECT_EQ(children(simulation_, "/a").size(), 1U);
    EXPECT_TRUE(simulation_.exists("/b"));
    EXPECT_EQ(children(simulation_, "/c").size(), 1U);
  }
  EXPECT_FALSE(simulation_.exists("/b"));
}

TEST_F(BlockingTest, LockingTwiceIsADeadlock) {
  const std::unique_lock lock(anns_);
  EXPECT_EQ(code_of([&] { anns_.lock(); }), std::errc::resource_deadlock_would_occur);
  EXPECT_FALSE(anns_.try_lock());
  EXPECT_FALSE(anns_.try_lock_for(1s));
  EXPECT_EQ(queue().size(), 1U);
}

TEST_F(BlockingTest, AWaitThatIsStoppedIsCancelled) {
  const std::lock_guard lock(anns_);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(code_of([&] { bobs_.lock(stop.get_token()); }), std::errc::operation_canceled);
}

TEST_F(BlockingTest, AnAcquireEndsWithItsSession) {
  blocking::Mutex<Rejoining<FairMutex>> rejoins(bob_, "/lock");
  anns_.lock();
  const auto kill_later = [](Executor& executor, Simulation& of,
                             const FakeSession& session) -> Task<void> {
    static_cast<void>(co_await sleep_for(executor, 1s));
    of.kill(session);
    of.cut(session);
  };
  ASSERT_FALSE(bobs_.try_lock());
  simulation_.start(kill_later(ann_.executor(), simulation_, *bob_.current()));
  EXPECT_EQ(code_of([&] { bobs_.lock(); }), Error::kSessionExpired);
  ASSERT_FALSE(bobs_.try_lock());
  simulation_.start(kill_later(ann_.executor(), simulation_, *bob_.current()));
  EXPECT_FALSE(rejoins.try_lock_for(5s));
  simulation_.settle();  // Its znode is deleted in the background.
  EXPECT_EQ(queue().size(), 1U);
  anns_.unlock();
  rejoins.lock();
  EXPECT_EQ(rejoins.rejoins(), 0U);
  rejoins.unlock();
}

TEST_F(BlockingTest, OnlyItsHolderUnlocks) {
  EXPECT_EQ(code_of([&] { anns_.unlock(); }), std::errc::operation_not_permitted);
  EXPECT_EQ(code_of([&] { static_cast<void>(anns_.fencing_token()); }),
            std::errc::operation_not_permitted);
  blocking::ReadWriteLock lock(ann_, "/rw");
  const std::shared_lock reads(lock);
  EXPECT_EQ(code_of([&] { lock.unlock(); }), std::errc::operation_not_permitted);
}

TEST_F(BlockingTest, ADeadlockIsReportedAndLeavesNoZnode) {
  const std::unique_lock lock(anns_);
  const std::string report = message_of<fake::Deadlock>([&] { bobs_.lock(); });
  EXPECT_NE(report.find("waits for a change of /lock/_c_"), std::string::npos) << report;
  simulation_.settle();
  EXPECT_EQ(queue().size(), 1U);
}

TEST_F(BlockingTest, CodeThatTheSimulationRunsMustNotBlock) {
  const auto inside = [](blocking::FairMutex& lock) -> Task<int> {
    lock.lock();
    co_return 0;
  };
  EXPECT_EQ(code_of([&] { simulation_.run(inside(anns_)); }),
            std::errc::resource_deadlock_would_occur);
  EXPECT_FALSE(simulation_.exists("/lock"));
}

TEST_F(BlockingTest, RecursiveMutexIsUnlockedAsOftenAsLocked) {
  blocking::RecursiveMutex mutex(ann_, "/lock");
  mutex.lock();
  const RequestCounter requests(simulation_);
  EXPECT_TRUE(mutex.try_lock());
  mutex.lock();
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kReleased);
  mutex.unlock();
  EXPECT_EQ(queue().size(), 1U);
  mutex.unlock();
  EXPECT_TRUE(queue().empty());
  EXPECT_EQ(code_of([&] { mutex.unlock(); }), std::errc::operation_not_permitted);
}

TEST_F(BlockingTest, ALostLockIsNotEnteredAgain) {
  blocking::RecursiveMutex mutex(ann_, "/lock");
  mutex.lock();
  const std::stop_token lost = mutex.lost_token();
  const std::stop_token suspect = mutex.suspect_token();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_FALSE(suspect.stop_requested());
  expire(simulation_, ann_);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_TRUE(suspect.stop_requested());
  EXPECT_EQ(mutex.cause(), Error::kContactLost);
  EXPECT_EQ(code_of([&] { mutex.lock(); }), Error::kContactLost);
  EXPECT_EQ(code_of([&] { static_cast<void>(mutex.try_lock()); }), Error::kContactLost);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kAlreadyLost);
  mutex.lock();  // On the client's next session.
  EXPECT_EQ(mutex.state(), LockState::kHeld);
  mutex.unlock();
}

TEST_F(BlockingTest, ReadersShareAndAWriterDoesNot) {
  blocking::ReadWriteLock anns(ann_, "/lock");
  blocking::ReadWriteLock bobs(bob_, "/lock");
  {
    const std::shared_lock ann_reads(anns);
    const std::shared_lock bob_reads(bobs, 1s);
    EXPECT_TRUE(bob_reads.owns_lock());
    EXPECT_FALSE(bobs.try_lock_shared());
    EXPECT_EQ(code_of([&] { bobs.lock(); }), std::errc::resource_deadlock_would_occur);
  }
  const std::unique_lock ann_writes(anns);
  EXPECT_FALSE(std::shared_lock(bobs, std::try_to_lock).owns_lock());
  EXPECT_FALSE(std::shared_lock(bobs, 1s).owns_lock());
  EXPECT_FALSE(bobs.try_lock_shared_until(simulation_.now() + 1s));
  EXPECT_FALSE(std::unique_lock(bobs, 1s).owns_lock());
  EXPECT_FALSE(bobs.try_lock());
}

TEST_F(BlockingTest, AReaderBecomesTheWriterAndBack) {
  blocking::ReadWriteLock anns(ann_, "/lock");
  blocking::ReadWriteLock bobs(bob_, "/lock");
  anns.lock_shared();
  bobs.lock_shared();
  EXPECT_FALSE(anns.try_upgrade_for(1s));
  bobs.unlock_shared();
  anns.upgrade();
  EXPECT_EQ(code_of([&] { anns.unlock_shared(); }), std::errc::operation_not_permitted);
  EXPECT_EQ(code_of([&] { anns.upgrade(); }), std::errc::operation_not_permitted);
  EXPECT_FALSE(bobs.try_lock_shared_for(1s));
  anns.downgrade();
  EXPECT_TRUE(bobs.try_lock_shared_for(1s));
  bobs.unlock_shared();
  anns.unlock_shared();
}

TEST_F(BlockingTest, AnUpgradeWithoutAnAnswerIsAnError) {
  blocking::ReadWriteLock anns(ann_, "/lock");
  anns.lock_shared();
  simulation_.hold_inbox(*ann_.current());
  simulation_.advance(1ms);
  EXPECT_EQ(code_of([&] { static_cast<void>(anns.try_upgrade_for(1s)); }), std::errc::timed_out);
  simulation_.let_go(*ann_.current());
  simulation_.settle();
  EXPECT_TRUE(anns.try_upgrade_for(1s));
  anns.unlock();
}

TEST_F(BlockingTest, AnUpgradeWhoseDeadlineHasPassedSendsNoRequest) {
  blocking::ReadWriteLock anns(ann_, "/lock");
  anns.lock_shared();
  {
    const RequestCounter requests(simulation_);
    EXPECT_FALSE(anns.try_upgrade_for(0s));
    simulation_.settle();
    EXPECT_EQ(requests.total(), 0U);
  }
  anns.unlock_shared();
}

TEST_F(BlockingTest, AnUpgradeThatWouldWaitForAWriterConflicts) {
  blocking::ReadWriteLock anns(ann_, "/lock");
  anns.lock_shared();
  const auto writer = simulation_.open("Writer");
  ReadWriteLock lock(*writer, "/lock");
  const auto waits = start_and_settle(lock.acquire_write());
  EXPECT_EQ(code_of([&] { anns.upgrade(); }), std::errc::device_or_resource_busy);
  EXPECT_FALSE(anns.try_upgrade_for(1s));
  EXPECT_EQ(anns.state(), LockState::kHeld);
  anns.unlock_shared();
  simulation_.run_until(waits);
}

TEST_F(BlockingTest, SemaphoreCounts) {
  blocking::Semaphore semaphore(ann_, "/s", 2);
  semaphore.acquire();
  EXPECT_TRUE(semaphore.try_acquire());
  EXPECT_FALSE(semaphore.try_acquire());
  EXPECT_FALSE(semaphore.try_acquire_for(1s));
  EXPECT_FALSE(semaphore.try_acquire_until(simulation_.now() + 1s));
  EXPECT_EQ(code_of([&] { semaphore.release(3); }), std::errc::operation_not_permitted);
  simulation_.settle();
  EXPECT_EQ(children(simulation_, "/s/leases").size(), 2U);
  semaphore.release();
  EXPECT_TRUE(semaphore.try_acquire_for(1s));
  semaphore.release(2);
  simulation_.settle();
  EXPECT_TRUE(children(simulation_, "/s/leases").empty());
  EXPECT_TRUE(children(simulation_, "/s/locks").empty());
}

TEST_F(BlockingTest, SemaphoreTakesSeveralAtOnce) {
  blocking::Semaphore anns(ann_, "/s", 3);
  blocking::Semaphore bobs(bob_, "/s", 3);
  anns.acquire(2);
  EXPECT_FALSE(bobs.try_acquire(2));
  EXPECT_FALSE(bobs.try_acquire_for(2, 1s));
  EXPECT_FALSE(bobs.try_acquire_until(2, simulation_.now() + 1s));
  EXPECT_TRUE(bobs.try_acquire());
  simulation_.settle();
  EXPECT_EQ(children(simulation_, "/s/leases").size(), 3U);
  anns.release();
  anns.release();
  EXPECT_TRUE(bobs.try_acquire(2));
  bobs.release(3);
  EXPECT_EQ(code_of([&] { bobs.acquire(4); }), Error::kBadArguments);
  EXPECT_EQ(code_of([&] { bobs.acquire(0); }), Error::kBadArguments);
}

TEST_F(BlockingTest, BadInputIsAnError) {
  blocking::FairMutex relative(ann_, "lock");
  EXPECT_EQ(code_of([&] { relative.lock(); }), Error::kBadArguments);
  EXPECT_EQ(code_of([&] { relative.lock(); }), std::errc::invalid_argument);
  blocking::Semaphore none(ann_, "/s", 0);
  EXPECT_EQ(code_of([&] { none.acquire(); }), Error::kBadArguments);
  LockOptions options;
  options.grace = 0s;
  options.revocable = true;
  blocking::FairMutex graceless(ann_, "/lock", options);
  EXPECT_EQ(code_of([&] { graceless.lock(); }), Error::kBadArguments);
}

TEST_F(BlockingTest, AnyCoroutineCanBeWaitedFor) {
  blocking::FairMutex mutex(ann_, "/lock", LockOptions("host 1, pid 2"));
  const std::unique_lock lock(mutex);
  const auto session = simulation_.open("Observer");
  const auto queue = blocking::run(session->executor(), [&] {
    return contenders_of(*session, "/lock", kMutexMarks, Context());
  });
  ASSERT_TRUE(queue.has_value());
  ASSERT_EQ(queue->size(), 1U);
  EXPECT_EQ(queue->front().data.view(), "host 1, pid 2");
  EXPECT_TRUE(queue->front().holds);
}

TEST_F(BlockingTest, DestroyingAHeldLockIsMisuse) {
  EXPECT_DEATH(
      {
        blocking::FairMutex mutex(ann_, "/lock");
        mutex.lock();
      },
      "destroyed while it is held");
  EXPECT_DEATH(
      {
        blocking::Semaphore semaphore(ann_, "/s", 1);
        semaphore.acquire();
      },
      "destroyed with leases");
}

}  // namespace
}  // namespace lockstep
