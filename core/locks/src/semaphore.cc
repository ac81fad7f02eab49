#include "lockstep/semaphore.h"

#include <algorithm>

#include "lockstep/fair_mutex.h"
#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/linked_stop.h"
#include "lockstep/place.h"
#include "lockstep/retried.h"
#include "lockstep/shared_count.h"
#include "lockstep/take_place.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace {

// Our turn at taking a lease: whatever comes of it, the next one must have the mutex.
class Turn {
 public:
  Turn(Session& session, HeldLock mutex) : held(std::move(mutex)), session_(session) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!is_over(session_.state())) release_in_background(session_, std::move(held));
  }

  HeldLock held;

 private:
  Session& session_;
};

Task<void> stop_when_fired(const Watch& watch, std::stop_source stop) {
  static_cast<void>(co_await watch.fired());
  stop.request_stop();
}

// kNoNode if our lease is not there (any more).
Result<bool> has_room(const Children& leases, const Path& ours, std::int32_t most) {
  if (std::ranges::find(leases.names(), ours.name()) == leases.end()) {
    return failure(Error::kNoNode);
  }
  return std::cmp_less_equal(leases.size(), most);
}

}  // namespace

Task<Result<HeldLock>> Semaphore::acquire(Patience patience, Context context) {
  if (observer_) {
    observer_->part_of(path_ / "locks", path_, LockPart::kTurns);
    observer_->part_of(path_ / "leases", path_, LockPart::kGrants);
  }
  internal::AcquireNotice under_way(session_, path_, observer_);
  Result<HeldLock> lease = co_await take_turn(patience, std::move(context));
  if (!lease) co_return under_way.failed(lease.error());
  co_return std::move(lease);
}

Task<Result<HeldLock>> Semaphore::take_turn(Patience patience, Context context) {
  co_await ok(options_.valid_without_marks());
  if (!count_.shared() && count_.fixed() < 1) co_return failure(Error::kBadArguments);
  // An empty path is malformed, and would mean the root once we append to it.
  if (path_.view().empty()) co_return failure(Error::kBadArguments);
  // 1. One at a time: hold the mutex until we have a lease, or give up.
  // It protects nothing but the order of the leases, which go with the same session.
  LockOptions options(options_.data);
  options.acl = options_.acl;
  options.loss = LossPolicy::kServerNotice;
  FairMutex mutex(session_, path_ / "locks", std::move(options), observer_);
  Task<Result<HeldLock>> taking =
      patience == Patience::kWaits ? mutex.acquire(context) : mutex.try_acquire(context);
  HeldLock held = co_await ok(std::move(taking));
  Turn turn(session_, std::move(held));
  Result<HeldLock> lease = co_await take_lease(turn.held, patience, std::move(context));
  co_return std::move(lease);
}

Task<Result<HeldLock>> Semaphore::take_lease(HeldLock& turn, Patience patience, Context context) {
  // 2. Create a lease: "<path>/leases/_c_<guid>-lease-<number>", ephemeral and sequential.
  const Path leases = path_ / "leases";
  const Arrival ours = co_await ok(
      take_place_and_list(session_, leases, kLeaseMark, options_.data, options_.acl, context));
  Place place(session_, ours.znode);
  // 3. It counts once there are no more leases than there may be.
  const Zxid evidence = co_await ok(wait_for_room(turn, ours, patience, std::move(context)));
  place.granted();
  GrantRecord grant(session_.id(), leases, ours.znode, ours.created, evidence);
  grant.token = session_.fencing_token(grant.created);
  grant.share = Share::kShared;
  co_return HeldLock(session_, std::move(grant), observer_, options_.of_grant());
}

// `arrival` outlives the task.
Task<Result<Zxid>> Semaphore::wait_for_room(HeldLock& turn, const Arrival& arrival,
                                            Patience patience, Context context) {
  // A look that leaves no watches: usually there is room. The list that came with our lease is
  // older than a limit that we have yet to read.
  const Path& ours = arrival.znode;
  const Path leases = ours.parent();
  const std::int32_t at_first = co_await ok(capacity(context));
  const bool listed = arrival.list && arrival.list->has_value() && !count_.shared();
  Children first;
  if (listed) first = **arrival.list;
  if (!listed) first = co_await ok(retried(session_, &Session::get_children, leases, context));
  const bool room_at_first = co_await ok(has_room(first, ours, at_first));
  if (room_at_first) co_return first.parent().pzxid;
  if (patience == Patience::kDoesNotWait) co_return failure(Error::kConflict);
  for (;;) {
    Capacity most = co_await ok(watched_capacity(context));
    const Watched<Children> list =
        co_await ok(retried(session_, &Session::get_children_watched, leases, context));
    const bool room = co_await ok(has_room(list.value, ours, most.value));
    if (room) co_return list.value.parent().pzxid;
    if (observer_) observer_->waiting(session_.id(), ours, list.value.size() - 1);
    // Wait until a lease comes or goes, or there may be more of them. A client that deletes the
    // mutex lets the next one in beside us, and neither of us would ever see room.
    LinkedStop woken(context.stop(), turn.lost_token());
    TaskSet others;
    if (count_.shared()) others.spawn(stop_when_fired(most.watch, woken.source()));
    const Result<WatchEvent> event = co_await list.watch.fired(woken.bound(context));
    if (turn.cause()) co_return failure(*turn.cause());
    const bool woken_by_us = !event && event.error() == Error::kCancelled;
    if (woken_by_us && !context.stop().stop_requested()) continue;
    if (!event) co_return failure(event.error());
  }
}

Task<Result<std::int32_t>> Semaphore::capacity(Context context) {
  if (!count_.shared()) co_return count_.fixed();
  const std::int32_t count =
      co_await ok(get_shared_count(session_, *count_.shared(), std::move(context)));
  co_return count;
}

Task<Result<Semaphore::Capacity>> Semaphore::watched_capacity(Context context) {
  if (!count_.shared()) co_return Capacity(count_.fixed(), Watch());
  Watched<DataAndStat> read = co_await ok(
      retried(session_, &Session::get_data_watched, *count_.shared(), std::move(context)));
  const std::optional<std::int32_t> count = decode_shared_count(read.value.data);
  if (!count) co_return failure(Error::kMarshallingError);
  co_return Capacity(*count, std::move(read.watch));
}

}  // namespace lockstep
