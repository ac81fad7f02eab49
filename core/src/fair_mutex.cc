#include "lockstep/fair_mutex.h"

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/place.h"
#include "lockstep/protected_create.h"

namespace lockstep {

// The steps, as functions that are no coroutines: what their arguments are made of is not kept in
// the frame of each contender that waits, and there may be thousands.
namespace {

Task<Result<Created>> take_place(Session& session, const Path& lock, const Data& data,
                                 const Context& context) {
  return protected_create(session, lock, std::string(kLockMark), data, context);
}

Task<Result<Zxid>> wait_for_all_in_front(Session& session, const Path& lock, Marks marks,
                                         LockObserver* observer, const Path& ours,
                                         Patience patience, Context& context) {
  LockQueue queue(session, lock, marks, observer);
  return wait_in_queue(std::move(queue), ours, patience, std::move(context));
}

HeldLock grant_of(Session& session, const Path& lock, const Created& ours, Zxid evidence,
                  const LockOptions& options, LockObserver* observer) {
  GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, evidence);
  GrantOptions kept;
  kept.revocable = options.revocable;
  kept.grace = options.grace;
  return HeldLock(session, std::move(grant), observer, std::move(kept));
}

}  // namespace

Task<Result<HeldLock>> FairMutex::acquire(Patience patience, Context context) {
  internal::AcquireNotice under_way(session_, lock_, observer_);
  const Result<void> valid = options_.valid();
  if (!valid) co_return under_way.failed(valid.error());
  // 1. Take a place in the queue: "<lock>/_c_<guid>-lock-<number>", ephemeral and sequential.
  const Result<Created> ours = co_await take_place(session_, lock_, options_.data, context);
  if (!ours) co_return under_way.failed(ours.error());
  Place place(session_, ours->path, observer_);
  if (observer_) observer_->place_reserved(session_.id(), lock_, ours->path);
  // 2. to 5. Wait until nobody is in front.
  const Result<Zxid> evidence = co_await wait_for_all_in_front(
      session_, lock_, options_.marks, observer_, ours->path, patience, context);
  if (!evidence) co_return under_way.failed(evidence.error());
  place.granted();
  co_return grant_of(session_, lock_, *ours, *evidence, options_, observer_);
}

}  // namespace lockstep
