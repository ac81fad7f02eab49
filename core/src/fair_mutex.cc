#include "lockstep/fair_mutex.h"

#include "lockstep/place.h"
#include "lockstep/protected_create.h"

namespace lockstep {

Task<Result<HeldLock>> FairMutex::acquire(Patience patience, Context context) {
  Result<HeldLock> held = co_await queue_up(patience, std::move(context));
  if (!held && observer_) observer_->gave_up(session_.id(), lock_, held.error());
  co_return std::move(held);
}

Task<Result<HeldLock>> FairMutex::queue_up(Patience patience, Context context) {
  co_await ok(options_.valid());
  // 1. Take a place in the queue: "<lock>/_c_<guid>-lock-<number>", ephemeral and sequential.
  const Created ours = co_await ok(
      protected_create(session_, lock_, std::string(kLockMark), options_.data, context));
  Place place(session_, ours.path, observer_);
  if (observer_) observer_->place_reserved(session_.id(), lock_, ours.path);
  // 2. to 5. Wait until nobody is in front.
  LockQueue queue(session_, lock_, options_.marks, observer_);
  const Zxid evidence =
      co_await ok(wait_in_queue(std::move(queue), ours.path, patience, std::move(context)));
  place.granted();
  GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
  GrantOptions kept;
  kept.revocable = options_.revocable;
  kept.grace = options_.grace;
  co_return HeldLock(session_, std::move(grant), observer_, std::move(kept));
}

}  // namespace lockstep
