#include "lockstep/semaphore.h"

#include <algorithm>
#include <list>
#include <optional>

#include "lockstep/fair_mutex.h"
#include "lockstep/internal/acquire.h"
#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/contact_wait.h"
#include "lockstep/internal/linked_stop.h"
#include "lockstep/place.h"
#include "lockstep/retried.h"
#include "lockstep/shared_count.h"
#include "lockstep/take_place.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace {

// The mutex while we take leases. A guard, because the next contender needs it however that ends.
class HeldMutex {
 public:
  HeldMutex(Session& session, HeldLock mutex) : held(std::move(mutex)), session_(session) {}
  HeldMutex(const HeldMutex&) = delete;
  HeldMutex& operator=(const HeldMutex&) = delete;
  ~HeldMutex() {
    if (!is_over(session_.state())) release_in_background(session_, std::move(held));
  }

  HeldLock held;

 private:
  Session& session_;
};

// A child that is no lease; empty if there is none.
std::string_view foreign_among(const Children& leases) {
  for (const std::string_view name : leases) {
    if (!contender(name, kLeaseMarks)) return name;
  }
  return {};
}

Task<void> stop_when_fired(const Watch& watch, std::stop_source stop) {
  static_cast<void>(co_await watch.fired());
  stop.request_stop();
}

}  // namespace

// The leases of one acquire. Those that do not become grants are deleted in the background.
class Semaphore::Leases {
 public:
  explicit Leases(Path parent) : path(std::move(parent)) {}

  void add(Session& session, Arrival lease) {
    Place taken(session, std::move(lease.znode));
    created_.push_back(lease.created);
    places_.emplace_back(session, taken.znode());
    taken.granted();
    listed_ = std::move(lease.list);
  }
  // The list that was requested together with the last lease, if it came.
  [[nodiscard]] const Children* listed() const {
    return listed_ && *listed_ ? &**listed_ : nullptr;
  }
  // Whether the number of leases is within the limit. kNoNode if one of ours does not exist (any
  // more).
  [[nodiscard]] Result<bool> have_room(const Children& all, std::int32_t most) const {
    const auto names = all.names();
    for (const Place& place : places_) {
      const bool there = std::ranges::find(names, place.znode().name()) != names.end();
      if (!there) return failure(Error::kNoNode);
    }
    return std::cmp_less_equal(all.size(), most);
  }
  [[nodiscard]] const Path& last() const { return places_.back().znode(); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] HeldLocks granted(Session& session, Zxid evidence, const LockOptions& options,
                                  LockObserver* observer) {
    std::vector<HeldLock> held;
    held.reserve(places_.size());
    auto created = created_.begin();
    for (Place& place : places_) {
      GrantRecord grant(session.id(), path, place.znode(), *created++, evidence);
      grant.share = Share::kShared;
      held.push_back(place.grant(std::move(grant), observer, options.of_grant()));
    }
    return HeldLocks(std::move(held));
  }

  const Path path;

 private:
  std::list<Place> places_;
  std::vector<Zxid> created_;
  std::optional<Result<Children>> listed_;
};

Task<Result<HeldLock>> Semaphore::acquire_one(One, Patience patience, Context context) {
  HeldLocks one = co_await ok(acquire_several(One(tasks_), 1, patience, std::move(context)));
  co_return std::move(std::move(one).each().front());
}

Task<Result<HeldLocks>> Semaphore::acquire_several(One, std::int32_t leases, Patience patience,
                                                   Context context) {
  if (observer_) {
    observer_->part_of(path_ / "locks", path_, LockPart::kTurns);
    observer_->part_of(path_ / "leases", path_, LockPart::kGrants);
  }
  internal::AcquireNotice under_way(session_, path_, observer_);
  Result<HeldLocks> held = co_await take_turn(leases, patience, std::move(context));
  if (!held) co_return under_way.failed(held.error());
  co_return std::move(held);
}

Result<void> Semaphore::valid(std::int32_t leases) const {
  const bool never_fits = !count_.shared() && count_.fixed() < leases;
  // An empty path is malformed, and would mean the root once we append to it.
  if (leases < 1 || never_fits || path_.view().empty()) return failure(Error::kBadArguments);
  return options_.valid_without_marks();
}

Task<Result<HeldLocks>> Semaphore::take_turn(std::int32_t leases, Patience patience,
                                             Context context) {
  co_await ok(valid(leases));
  if (internal::loses_at_once(session_, options_.loss)) [[unlikely]] {
    co_await ok(internal::wait_for_contact(session_, options_.loss, context));
  }
  // 1. One at a time: hold the mutex until we have our leases, or give up. The mutex protects only
  // the order of the leases, which end with the same session.
  LockOptions options(options_.data);
  options.acl = options_.acl;
  options.loss = LossPolicy::kServerNotice;
  FairMutex mutex(session_, path_ / "locks", std::move(options), observer_);
  HeldLock held = co_await ok(internal::acquire(mutex, patience, context));
  HeldMutex turn(session_, std::move(held));
  co_await ok(wait_for_capacity(turn.held, leases, patience, context));
  // 2. Create the leases. 3. They become grants once the number of leases is within the limit.
  Leases ours(path_ / "leases");
  co_await ok(create_leases(ours, leases, context));
  const Zxid evidence = co_await ok(wait_for_room(turn.held, ours, patience, std::move(context)));
  co_return ours.granted(session_, evidence, options_, observer_);
}

// Several leases are created one by one, which is in vain while a shared limit is below their
// number. (A single lease does without this read.) Both arguments outlive the task.
Task<Result<void>> Semaphore::wait_for_capacity(HeldLock& turn, std::int32_t leases,
                                                Patience patience, const Context& context) {
  if (!count_.shared() || leases == 1) co_return Result<void>();
  const std::int32_t at_first = co_await ok(capacity(context));
  if (at_first >= leases) co_return Result<void>();
  const bool waits = patience != Patience::kDoesNotWait;
  if (!waits) co_return failure(Error::kConflict);
  for (;;) {
    const Capacity most = co_await ok(watched_capacity(context));
    if (most.value >= leases) co_return Result<void>();
    // If a client deletes the mutex, it is not our turn any more.
    const internal::LinkedStop woken(context.stop(), turn.lost_token());
    const Result<WatchEvent> event = co_await most.watch.fired(woken.bound(context));
    const std::optional<Error> lost = turn.cause();
    if (lost) co_return failure(*lost);
    if (!event) co_return failure(event.error());
  }
}

// "<path>/leases/_c_<guid>-lease-<number>", ephemeral and sequential. Both arguments outlive it.
Task<Result<void>> Semaphore::create_leases(Leases& ours, std::int32_t leases, Context context) {
  while (std::cmp_less(ours.size(), leases)) {
    Arrival lease = co_await ok(
        take_place_and_list(session_, ours.path, kLeaseMark, options_.data, options_.acl, context));
    warn_of_numbers(observer_, ours.path, lease.znode);
    ours.add(session_, std::move(lease));
  }
  co_return Result<void>();
}

Task<Result<Zxid>> Semaphore::wait_for_room(HeldLock& turn, const Leases& ours, Patience patience,
                                            Context context) {
  // Look once without watches: usually there is room. The list that came with our last lease is
  // older than a shared limit, which is read only now.
  const std::int32_t at_first = co_await ok(capacity(context));
  const bool is_listed = ours.listed() && !count_.shared();
  Children first;
  if (is_listed) first = *ours.listed();
  if (!is_listed)
    first = co_await ok(retried(session_, &Session::get_children, ours.path, context));
  const std::string_view foreign = foreign_among(first);
  if (observer_ && !foreign.empty()) observer_->foreign_child(ours.path, foreign);
  const bool room_at_first = co_await ok(ours.have_room(first, at_first));
  if (room_at_first) co_return first.parent().pzxid;
  if (patience == Patience::kDoesNotWait) co_return failure(Error::kConflict);
  for (;;) {
    Capacity most = co_await ok(watched_capacity(context));
    const Watched<Children> list =
        co_await ok(retried(session_, &Session::get_children_watched, ours.path, context));
    const bool room = co_await ok(ours.have_room(list.value, most.value));
    if (room) co_return list.value.parent().pzxid;
    if (observer_) observer_->waiting(session_.id(), ours.last(), list.value.size() - ours.size());
    // Wait until a lease comes or goes, or the limit changes. If a client deletes the mutex, the
    // next contender comes in beside us, and neither of us would ever see room.
    internal::LinkedStop woken(context.stop(), turn.lost_token());
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
