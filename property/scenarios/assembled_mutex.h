#pragma once

#include <string>
#include <utility>

#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/place.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep::scenarios {

// A fair mutex put together from its two steps, as FairMutex is from protected_create and
// wait_for_turn. A broken twin replaces one of them by a flawed copy and keeps the other.
template <auto TakePlace, auto WaitForTurn>
class AssembledMutex {
 public:
  AssembledMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) {
    Result<HeldLock> held = co_await queue_up(std::move(context));
    if (!held) observer_->gave_up(session_.id(), lock_, held.error());
    co_return std::move(held);
  }

 private:
  Task<Result<HeldLock>> queue_up(Context context) {
    const Created ours =
        co_await ok(TakePlace(session_, lock_, std::string(kLockMark), Data(), context));
    Place place(session_, ours.path);
    observer_->place_reserved(session_.id(), lock_, ours.path);
    const Zxid evidence =
        co_await ok(WaitForTurn(session_, lock_, ours.path, observer_, std::move(context)));
    place.granted();
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
    co_return HeldLock(session_, std::move(grant), observer_);
  }

  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

}  // namespace lockstep::scenarios
