// Locks that break no rule of a queue: everybody has a queue of his own, or gives up without a
// cause.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/semaphore.h"

namespace lockstep::lab {
namespace {

using namespace std::chrono_literals;

Path own_queue(const Session& session, const Path& lock) {
  return lock / ("of-" + std::to_string(session.id()));
}

// Its contenders queue where no other contender does.
class LonelyMutex {
 public:
  LonelyMutex(Session& session, const Path& lock, LockObserver* observer)
      : mutex_(session, own_queue(session, lock), observer) {}
  Task<Result<HeldLock>> acquire(Context patience) { return mutex_.acquire(std::move(patience)); }

 private:
  FairMutex mutex_;
};

// The same with one lease each.
class LonelySemaphore {
 public:
  LonelySemaphore(Session& session, const Path& lock, LockObserver* observer)
      : semaphore_(session, own_queue(session, lock), 1, observer) {}
  Task<Result<HeldLock>> acquire(Context patience) {
    return semaphore_.acquire(std::move(patience));
  }

 private:
  Semaphore semaphore_;
};

enum class Hasty : std::uint8_t { kAlways, kWithADeadline };

// Waits only a moment, and says that it was as long as it should be, or that something else is
// wrong.
template <Error kExcuse, Hasty kWhen = Hasty::kAlways>
class HastyMutex {
 public:
  HastyMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), mutex_(session, std::move(lock), observer) {}
  Task<Result<HeldLock>> acquire(Context patience) {
    if (kWhen == Hasty::kWithADeadline && !patience.deadline()) {
      co_return co_await mutex_.acquire(std::move(patience));
    }
    const Context moment(session_.executor().now() + 1ms);
    Result<HeldLock> held = co_await mutex_.acquire(moment);
    if (!held && held.error() == Error::kTimedOut) co_return failure(kExcuse);
    co_return held;
  }

 private:
  Session& session_;
  FairMutex mutex_;
};

// The same as blocking code that does not wait at all.
class HastyLock {
 public:
  HastyLock(Client& client, const Path& lock, LockObserver* observer)
      : mutex_(client, lock, observer) {}
  void lock() { mutex_.lock(); }
  bool try_lock_until(TimePoint) { return mutex_.try_lock_for(1ms); }
  void unlock() { mutex_.unlock(); }

 private:
  blocking::FairMutex mutex_;
};

TEST(QuietFlawsTest, QueuesOfOneLockAreComparedWithEachOther) {
  const HuntReport report = hunt_lock(lock_under_test<LonelyMutex>("lonely"), calm_hunt());
  EXPECT_EQ(broken(report), "S1") << report.text();
}

TEST(QuietFlawsTest, LeasesOfOneSemaphoreAreCountedWhereverTheyAre) {
  LockUnderTest lock = lock_under_test<LonelySemaphore>("lonely");
  lock.rules = judge::semaphore_rules(1);
  const HuntReport report = hunt_lock(lock, calm_hunt());
  EXPECT_EQ(broken(report), "S1") << report.text();
}

// A contender of several locks, which may be held together.
Task<void> hold_two(Contender& self, Path lock, std::uint32_t rounds) {
  const bool first = self.client().process().index() == 0;
  return contend_for<FairMutex>(self, lock / (first ? "one" : "two"), rounds);
}

TEST(QuietFlawsTest, QueuesOfDifferentLocksAreNotCompared) {
  const HuntReport report = hunt_lock(LockUnderTest("two", &hold_two), calm_hunt());
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(QuietFlawsTest, ATimeoutBeforeTheDeadlineBreaksL4) {
  using Mutex = HastyMutex<Error::kTimedOut, Hasty::kWithADeadline>;
  const HuntReport report = hunt_lock(lock_under_test<Mutex>("hasty"), calm_hunt());
  EXPECT_EQ(broken(report), "L4") << report.text();
  const HuntReport blocking = hunt_lock(blocking_lock_under_test<HastyLock>("hasty"), calm_hunt());
  EXPECT_EQ(broken(blocking), "L4") << blocking.text();
}

TEST(QuietFlawsTest, AFailureWithoutACauseBreaksL1) {
  const HuntReport report =
      hunt_lock(lock_under_test<HastyMutex<Error::kNoNode>>("hasty"), calm_hunt());
  EXPECT_EQ(broken(report), "L1") << report.text();
  EXPECT_NE(report.text().find("failed (no node), although no fault had struck"), std::string::npos)
      << report.text();
}

// There is no deadline that could have passed.
TEST(QuietFlawsTest, ATimeoutWithoutADeadlineBreaksL1) {
  LockUnderTest lock = lock_under_test<HastyMutex<Error::kTimedOut>>("hasty");
  lock.last = LastContender::kPatient;
  EXPECT_EQ(broken(hunt_lock(lock, calm_hunt())), "L1");
}

// An acquire that does not wait.
TEST(QuietFlawsTest, AConflictIsACause) {
  const HuntReport report =
      hunt_lock(lock_under_test<HastyMutex<Error::kConflict>>("trying"), calm_hunt());
  EXPECT_TRUE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::lab
