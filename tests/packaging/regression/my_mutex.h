#pragma once

#include "lockstep/lab/scenario.h"
#include "lockstep/ok.h"
#include "lockstep/turn.h"

// Waits for its turn only when repaired.
class MyMutex {
 public:
  MyMutex(lockstep::Session& session, lockstep::Path lock, lockstep::LockObserver* observer)
      : session_(session), lock_(lock), observer_(observer) {}

  lockstep::Task<lockstep::Result<lockstep::HeldLock>> acquire() {
    using namespace lockstep;
    const Created ours =
        co_await ok(session_.create(lock_ / "x-lock-", Data(), CreateMode::kEphemeralSequential));
    Zxid seen = ours.stat.czxid;
#ifdef REPAIRED
    const LockQueue queue(session_, lock_, kMutexMarks, observer_);
    const Context endless;
    seen = co_await ok(wait_in_queue(queue, ours.path, Patience::kWaits, endless));
#endif
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, seen);
    co_return HeldLock(session_, std::move(grant), observer_);
  }

 private:
  lockstep::Session& session_;
  lockstep::Path lock_;
  lockstep::LockObserver* observer_;
};
