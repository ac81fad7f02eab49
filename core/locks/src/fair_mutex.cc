#include "lockstep/fair_mutex.h"

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/contact_wait.h"
#include "lockstep/place.h"
#include "lockstep/take_place.h"

namespace lockstep {

namespace {

// Not a coroutine: the frame of each waiting contender would need room for the record, and there
// may be thousands of contenders.
HeldLock grant_of(const LockQueue& queue, Place& ours, Zxid created, TurnProof& turn,
                  const LockOptions& options) {
  GrantRecord grant(queue.session.id(), queue.lock, ours.znode(), created, turn.evidence);
  grant.after = std::move(turn.after);
  GrantOptions kept = options.of_grant();
  kept.watch = std::move(turn.own);
  return ours.grant(std::move(grant), queue.observer, std::move(kept));
}

}  // namespace

Task<Result<HeldLock>> FairMutex::acquire(One, Patience patience, Context context) {
  Session& session = queue_.session;
  LockObserver* const observer = queue_.observer;
  internal::AcquireNotice under_way(session, queue_.lock, observer);
  const Result<void> valid = options_.valid();
  if (!valid) co_return under_way.failed(valid.error());
  if (internal::loses_at_once(session, options_.loss)) [[unlikely]] {
    const Result<void> sure = co_await internal::wait_for_contact(session, options_.loss, context);
    if (!sure) co_return under_way.failed(sure.error());
  }
  // 1. Take a place in the queue: "<lock>/_c_<guid>-lock-<number>", ephemeral and sequential.
  // 2. List the queue, without waiting for the answer to 1.
  Result<Arrival> ours = co_await take_place_and_list(session, queue_.lock, kLockMark,
                                                      options_.data, options_.acl, context);
  if (!ours) co_return under_way.failed(ours.error());
  Place place(session, std::move(ours->znode), observer);
  if (observer) observer->place_reserved(session.id(), queue_.lock, place.znode());
  warn_of_numbers(observer, queue_.lock, place.znode());
  // 3. The first one in the queue holds the lock. 4. Watch the nearest znode in front of ours. 5.
  // When it is gone, back to 2; if it was the only one in front, ours holds now.
  Result<TurnProof> turn =
      co_await wait_in_queue(queue_, place.znode(), patience, context, std::move(ours->list));
  if (!turn) co_return under_way.failed(turn.error());
  co_return grant_of(queue_, place, ours->created, *turn, options_);
}

}  // namespace lockstep
