#include "lockstep/fair_mutex.h"

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/place.h"
#include "lockstep/protected_create.h"

namespace lockstep {

namespace {

// A function that is no coroutine: what it makes is not kept in the frame of each contender that
// waits, and there may be thousands.
HeldLock grant_of(const LockQueue& queue, Path&& ours, Zxid created, Zxid evidence,
                  const LockOptions& options) {
  GrantRecord grant(queue.session.id(), queue.lock, std::move(ours), created, evidence);
  grant.token = queue.session.fencing_token(created);
  return HeldLock(queue.session, std::move(grant), queue.observer, options.of_grant());
}

}  // namespace

Task<Result<HeldLock>> FairMutex::acquire(Patience patience, Context context) {
  Session& session = queue_.session;
  LockObserver* const observer = queue_.observer;
  internal::AcquireNotice under_way(session, queue_.lock, observer);
  const Result<void> valid = options_.valid();
  if (!valid) co_return under_way.failed(valid.error());
  // 1. Take a place in the queue: "<lock>/_c_<guid>-lock-<number>", ephemeral and sequential.
  Placing placing(session, queue_.lock, kLockMark, options_.data, options_.acl);
  Result<Created> ours = co_await placing.attempt(context);
  if (!placing.settled(ours)) co_await placing.go_on(ours, context);
  if (!ours) co_return under_way.failed(ours.error());
  Place place(session, std::move(ours->path), observer);
  if (observer) observer->place_reserved(session.id(), queue_.lock, place.znode());
  Waiter waiter(queue_, place.znode(), patience);
  // 2. List the queue. 3. Whom nobody keeps waiting holds the lock.
  while (!waiter.decided_by(co_await waiter.look(context))) {
    // 4. Watch the nearest znode in front of ours. 5. When it is gone, back to 2.
    const Result<void> changed = co_await waiter.change_ahead(context);
    if (!changed) co_return under_way.failed(changed.error());
  }
  const Result<Zxid>& evidence = waiter.evidence();
  if (!evidence) co_return under_way.failed(evidence.error());
  co_return grant_of(queue_, place.granted(), ours->stat.czxid, *evidence, options_);
}

}  // namespace lockstep
