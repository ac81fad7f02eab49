#include "lockstep/internal/acquire_notice.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/recursive_mutex.h"
#include "lockstep/semaphore.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Counts the acquires: those in progress, and all of them.
class InFlight final : public LockObserver {
 public:
  [[nodiscard]] int now(const std::string& lock) { return now_[lock]; }
  [[nodiscard]] int ever(const std::string& lock) { return ever_[lock]; }

 private:
  void acquire_begins(SessionId, const Path& lock) override {
    ++now_[lock.string()];
    ++ever_[lock.string()];
  }
  void acquire_ends(SessionId, const Path& lock) override { --now_[lock.string()]; }

  std::map<std::string, int> now_;
  std::map<std::string, int> ever_;
};

class AcquireNoticeTest : public SimulatedTest {
 protected:
  // Expects the notices of a lock that is free at first, and then held.
  template <class Mutex>
  void expect_told(Mutex& of_a, Mutex& of_b, const std::string& lock) {
    HeldLock held = must(simulation_.run(of_a.acquire()), "acquire");
    EXPECT_EQ(in_flight_.ever(lock), 1);
    EXPECT_EQ(in_flight_.now(lock), 0);
    const auto waits = start_and_settle(of_b.acquire(Context(simulation_.now() + 2s)));
    EXPECT_EQ(in_flight_.now(lock), 1);
    EXPECT_EQ(error_of(simulation_.run(of_b.try_acquire())), Error::kConflict);
    EXPECT_EQ(in_flight_.now(lock), 1);
    simulation_.run_until(waits);
    EXPECT_EQ(error_of(waits.result()), Error::kTimedOut);
    EXPECT_EQ(in_flight_.now(lock), 0);
    EXPECT_EQ(in_flight_.ever(lock), 3);
    {
      TaskSet destroyed;
      destroyed.spawn(ignore(of_b.acquire()));
      simulation_.settle();
      EXPECT_EQ(in_flight_.now(lock), 1);
      destroyed.clear();
    }
    EXPECT_EQ(in_flight_.now(lock), 0);
    simulation_.run(held.release());
  }

  InFlight in_flight_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

TEST_F(AcquireNoticeTest, FairMutexReportsItsAcquires) {
  FairMutex a(*a_, "/lock", &in_flight_);
  FairMutex b(*b_, "/lock", &in_flight_);
  expect_told(a, b, "/lock");
}

TEST_F(AcquireNoticeTest, UnfairMutexReportsAcquiresOfItsZnode) {
  UnfairMutex a(*a_, "/locks/one", &in_flight_);
  UnfairMutex b(*b_, "/locks/one", &in_flight_);
  expect_told(a, b, "/locks/one");
}

TEST_F(AcquireNoticeTest, SemaphoreReportsAcquiresOfItselfAndItsMutex) {
  Semaphore a(*a_, "/pool", 1, &in_flight_);
  Semaphore b(*b_, "/pool", 1, &in_flight_);
  expect_told(a, b, "/pool");
  EXPECT_EQ(in_flight_.ever("/pool/locks"), 4);
  EXPECT_EQ(in_flight_.now("/pool/locks"), 0);
}

TEST_F(AcquireNoticeTest, ReadWriteLockReportsItsAcquires) {
  ReadWriteLock a(*a_, "/lock", &in_flight_);
  ReadWriteLock b(*b_, "/lock", &in_flight_);
  HeldLock writes = must(simulation_.run(a.acquire_write()), "write");
  const auto reads = start_and_settle(b.acquire_read());
  EXPECT_EQ(in_flight_.now("/lock"), 1);
  simulation_.run(writes.release());
  simulation_.run_until(reads);
  EXPECT_EQ(in_flight_.now("/lock"), 0);
  EXPECT_EQ(in_flight_.ever("/lock"), 2);
}

TEST_F(AcquireNoticeTest, InnerLevelOfARecursiveMutexIsNoAcquire) {
  RecursiveMutex mutex(*a_, "/lock", &in_flight_);
  const LockOwner owner(this);
  const auto outer = must(simulation_.run(mutex.acquire(owner)), "outer");
  const auto inner = must(simulation_.run(mutex.acquire(owner)), "inner");
  EXPECT_EQ(in_flight_.ever("/lock"), 1);
}

}  // namespace
}  // namespace lockstep
