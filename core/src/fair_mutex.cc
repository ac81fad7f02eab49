#include "lockstep/fair_mutex.h"

#include "lockstep/place.h"
#include "lockstep/protected_create.h"
#include "lockstep/sequence.h"
#include "lockstep/turn.h"

namespace lockstep {

Task<Result<HeldLock>> FairMutex::acquire(Context context) {
  Result<HeldLock> held = co_await queue_up(std::move(context));
  if (!held && observer_) observer_->gave_up(session_.id(), lock_, held.error());
  co_return std::move(held);
}

Task<Result<HeldLock>> FairMutex::queue_up(Context context) {
  // 1. Take a place in the queue: "<lock>/_c_<guid>-lock-<number>", ephemeral and sequential.
  const Created ours =
      co_await ok(protected_create(session_, lock_, std::string(kLockMark), Data(), context));
  Place place(session_, ours.path);
  if (observer_) observer_->place_reserved(session_.id(), lock_, ours.path);
  // 2. to 5. Wait until nobody is in front.
  const Zxid evidence =
      co_await ok(wait_for_turn(session_, lock_, ours.path, observer_, std::move(context)));
  place.granted();
  GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
  co_return HeldLock(session_, std::move(grant), observer_);
}

}  // namespace lockstep
