#include "lockstep/double_barrier.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/contact_wait.h"
#include "lockstep/place.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"
#include "lockstep/shared_count.h"
#include "lockstep/take_place.h"
#include "lockstep/turn.h"

namespace lockstep {

namespace {

// The members among the children of a barrier, split at the last number that has entered.
class Present {
 public:
  // A view into the list, which outlives it.
  class One {
   public:
    std::string_view name;
    std::int32_t number;
  };

  // Without `last`, no member has entered.
  Present(const Children& children, std::optional<std::int32_t> last) {
    for (const std::string_view name : children) {
      const std::optional<std::int32_t> number = sequence_number(name, kMemberMark);
      if (!number || !keeps_order(*number)) continue;  // Such a member gives up.
      const bool entered = last && !precedes(*last, *number);
      (entered ? inside : waiting).push_back({name, *number});
    }
    std::ranges::sort(inside, before);
    std::ranges::sort(waiting, before);
  }
  [[nodiscard]] static bool has(const std::vector<One>& members, std::string_view name) {
    return std::ranges::find(members, name, &One::name) != members.end();
  }

  // Sorted by number.
  std::vector<One> inside;
  std::vector<One> waiting;

 private:
  static bool before(const One& a, const One& b) { return precedes(a.number, b.number); }
};

}  // namespace

bool DoubleBarrier::Ready::includes(std::int32_t number) const {
  return last && !precedes(*last, number);
}

Result<void> DoubleBarrier::valid() const {
  if (members_ < 1) return failure(Error::kBadArguments);
  return options_.valid_without_marks();
}

Task<Result<DoubleBarrier::Member>> DoubleBarrier::enter(One, Context context) {
  internal::AcquireNotice under_way(session_, barrier_, observer_);
  Result<Member> member = co_await come_in(std::move(context));
  if (!member) co_return under_way.failed(member.error());
  co_return std::move(member);
}

Task<Result<DoubleBarrier::Member>> DoubleBarrier::come_in(Context context) {
  co_await ok(valid());
  if (internal::loses_at_once(session_, options_.loss)) [[unlikely]] {
    co_await ok(internal::wait_for_contact(session_, options_.loss, context));
  }
  // 1. to 3. Create a znode: "<barrier>/_c_<guid>-member-<number>", ephemeral and sequential.
  const Created ours = co_await ok(
      take_place(session_, barrier_, kMemberMark, options_.data, options_.acl, context));
  Place place(session_, ours.path, observer_);
  if (observer_) observer_->place_reserved(session_.id(), barrier_, ours.path);
  warn_of_numbers(observer_, barrier_, ours.path);
  // 4. to 6. Wait for the others.
  const Ready ready = co_await ok(wait_until_ready(ours.path, std::move(context)));
  GrantRecord grant(session_.id(), barrier_, ours.path, ours.stat.czxid, ready.since);
  grant.share = Share::kShared;
  HeldLock held = place.grant(std::move(grant), observer_, options_.of_grant());
  co_return Member(*this, std::move(held), *ready.last);
}

// Resolves with the round that `ours` has entered; kNoNode if that znode does not exist.
Task<Result<DoubleBarrier::Ready>> DoubleBarrier::wait_until_ready(Path ours, Context context) {
  const std::int32_t number = *sequence_number(ours.name(), kMemberMark);
  for (;;) {
    Ready ready = co_await ok(read_ready(context));
    if (ready.includes(number)) {
      // If our znode exists now, it existed when the round began.
      static_cast<void>(co_await ok(retried(session_, &Session::exists, ours, context)));
      co_return std::move(ready);
    }
    co_await ok(wait_or_begin(ours, std::move(ready), context));
  }
}

// Leaves a watch even if "ready" does not exist.
Task<Result<DoubleBarrier::Ready>> DoubleBarrier::read_ready(Context context) {
  for (;;) {
    Result<Watched<DataAndStat>> read =
        co_await retried(session_, &Session::get_data_watched, ready_path(), context);
    if (read) {
      Ready ready(std::move(read->watch));
      ready.last = decode_shared_count(read->value.data);
      ready.version = read->value.stat.version;
      ready.since = read->value.stat.mzxid;
      if (!ready.last) co_return failure(Error::kMarshallingError);
      co_return std::move(ready);
    }
    if (read.error() != Error::kNoNode) co_return failure(read.error());
    auto missing = co_await ok(retried(session_, &Session::exists_watched, ready_path(), context));
    if (!missing.value) co_return Ready(std::move(missing.watch));
  }
}

// Returns when it is time to look at "ready" again.
Task<Result<void>> DoubleBarrier::wait_or_begin(Path ours, Ready before, Context context) {
  // 4. List the members.
  const Children children =
      co_await ok(retried(session_, &Session::get_children, barrier_, context));
  const Present present(children, before.last);
  if (!Present::has(present.waiting, ours.name())) co_return failure(Error::kNoNode);
  // 5. If too few wait, wait for "ready": the member that completes them sees all of them.
  if (std::cmp_less(present.waiting.size(), members_)) {
    const std::size_t missing = static_cast<std::size_t>(members_) - present.waiting.size();
    if (observer_) observer_->waiting(session_.id(), ours, missing);
    co_await ok(before.watch.fired(std::move(context)));
    co_return Result<void>();
  }
  // The previous round is not over: wait until its members have gone.
  if (!present.inside.empty()) {
    if (observer_) observer_->waiting(session_.id(), ours, present.inside.size());
    const Path inside = barrier_ / present.inside.front().name;
    co_await ok(change_of(session_, inside, std::move(context)));
    co_return Result<void>();
  }
  // 6. Otherwise set "ready", for all members present, if those that it needs are still there.
  Transaction round = set_ready(before, present.waiting.back().number);
  for (const Present::One& needed : present.waiting | std::views::take(members_)) {
    round.add(Request(OpCode::kCheck, barrier_ / needed.name));
  }
  co_await ok(begin_round(std::move(round), std::move(context)));
  co_return Result<void>();
}

Transaction DoubleBarrier::set_ready(const Ready& before, std::int32_t last) const {
  Data data = encode_shared_count(last);
  if (before.last) return Transaction().set_data(ready_path(), std::move(data), before.version);
  Creation creation(CreateMode::kPersistent, options_.acl);
  return Transaction().create(ready_path(), std::move(data), std::move(creation));
}

// Does nothing if a member that is checked has gone, or if another one has begun the round. After
// an unknown outcome, the next read of "ready" tells.
Task<Result<void>> DoubleBarrier::begin_round(Transaction round, Context context) {
  const auto begun = co_await session_.multi(std::move(round), context);
  const Error error = begun ? Error::kNothing : begun.error().error;
  Retry retry(session_);
  if (is_transient(error)) co_await ok(retry.after(error, std::move(context)));
  const bool others_changed_it =
      error == Error::kBadVersion || error == Error::kNodeExists || error == Error::kNoNode;
  if (error == Error::kNothing || is_transient(error) || others_changed_it)
    co_return Result<void>();
  co_return failure(error);
}

Task<Result<void>> DoubleBarrier::Member::leave(Context context) {
  const Result<void> over = co_await barrier_->wait_for_others(held_, round_, context);
  // Whatever the outcome, this member has left.
  static_cast<void>(co_await held_.release(std::move(context)));
  co_return over;
}

// Also releases `held`, which outlives the task.
Task<Result<void>> DoubleBarrier::wait_for_others(HeldLock& held, std::int32_t round,
                                                  Context context) {
  const Path ours = held.znode();
  for (;;) {
    // 1. List the members of the round. 2. If there are none, the round is over.
    const Children children =
        co_await ok(retried(session_, &Session::get_children, barrier_, context));
    const Present present(children, round);
    const std::vector<Present::One>& inside = present.inside;
    if (inside.empty()) co_return Result<void>();
    const bool lowest = inside.front().name == ours.name();
    if (!lowest || inside.size() == 1) {
      // 3. The only member deletes its znode, and is the last. 5. All but the lowest delete theirs,
      // too, and wait for the lowest.
      static_cast<void>(co_await held.release(context));
    }
    const Path awaited = barrier_ / (lowest ? inside.back().name : inside.front().name);
    // 4. The lowest waits for the highest. 6. Back to 1.
    co_await ok(change_of(session_, awaited, context));
  }
}

}  // namespace lockstep
