#include "lockstep/turn.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/retried.h"
#include "lockstep/sleep.h"

namespace lockstep {

namespace internal {

// Of a read that is made for its watch alone: many wait with one in hand.
template <>
struct FromReply<Watch> {
  using Left = Watch;
  static Result<Watch> take(Reply& reply, Watch& watch) {
    if (reply.is_error()) return failure(reply.error);
    return std::move(watch);
  }
};

}  // namespace internal

namespace {

// The name of `ours`, a child of `lock`: what follows its path. No search for the last slash.
std::string_view name_in(const Path& lock, const Path& ours) {
  const std::string_view path = ours.view();
  const std::size_t above = lock.view().size();
  if (path.size() <= above || path[above] != '/') return ours.name();  // In the root.
  return path.substr(above + 1);
}

// A watch on a znode that is there. A function that is no coroutine: what the arguments are made of
// is not kept in the frame.
Operation<Watch> watch(Session& session, const Path& znode, const Context& context) {
  return {session, Request(OpCode::kGetData, znode), Context(context)};
}

// Until it is time for another look, after one that has failed with `error`.
Task<Result<void>> look_again(Session& session, Error error, std::uint32_t refusals,
                              Context context) {
  if (error == Error::kThrottledOp) {
    const Duration pause = Retry::pause(session.random(), refusals);
    co_await ok(sleep_for(session.executor(), pause, context));
  }
  co_return co_await session.connected(std::move(context));
}

// A watch that fires when the znode changes, after a first attempt that has failed with `error`;
// none if the znode is not there.
Task<Result<std::optional<Watch>>> watch_otherwise(Session& session, const Path& znode, Error error,
                                                   const Context& context) {
  if (is_transient(error)) {
    Result<Watched<DataAndStat>> read =
        co_await read_again(session, &Session::get_data_watched, znode, error, context);
    if (read) co_return std::move(read->watch);
    error = read.error();
    if (error == Error::kNoNode) co_return std::optional<Watch>();
  }
  if (error != Error::kNoAuth) co_return failure(error);
  auto list =
      co_await ok(retried(session, &Session::get_children_watched, znode.parent(), context));
  const auto names = list.value.names();
  if (std::ranges::find(names, znode.name()) == names.end()) co_return std::optional<Watch>();
  co_return std::move(list.watch);
}

}  // namespace

Waiter::Waiter(const LockQueue& queue, const Path& ours, Patience patience)
    : queue_(queue), ours_(ours), name_(name_in(queue.lock, ours)), patience_(patience) {}

bool Waiter::decided_by(const Result<Children>& listed) {
  if (!listed) [[unlikely]] {
    evidence_ = failure(listed.error());
    return !is_transient(listed);
  }
  // kNoNode: our own znode is gone.
  const Result<Position> position = position_of(name_, queue_.marks, *listed, queue_.own.name());
  if (!position) return ends_with(failure(position.error()));
  const bool first = std::exchange(first_, false);
  if (queue_.observer && first && !position->foreign.empty()) {
    queue_.observer->foreign_child(queue_.lock, position->foreign);
  }
  if (position->ahead == 0) return ends_with(listed->parent().pzxid);
  const bool conflict = patience_ == Patience::kDoesNotWait ||
                        (patience_ == Patience::kWaitsToShare && position->exclusive_ahead > 0);
  if (conflict) return ends_with(failure(Error::kConflict));
  if (queue_.observer) queue_.observer->waiting(queue_.session.id(), ours_, position->ahead);
  ahead_ = queue_.lock / position->predecessor;
  return false;
}

Task<Result<void>> Waiter::change_ahead(const Context& context) {
  if (ahead_.text().is_null()) [[unlikely]] {
    return look_again(queue_.session, evidence_.error(), refusals_++, context);
  }
  refusals_ = 0;
  return change_of(queue_.session, std::move(ahead_), context);
}

Task<Result<Zxid>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                 const Context& context) {
  Waiter waiter(queue, ours, patience);
  while (!waiter.decided_by(co_await waiter.look(context))) {
    co_await ok(waiter.change_ahead(context));
  }
  co_return waiter.evidence();
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  const LockQueue queue(session, std::move(lock), kMutexMarks, observer);
  co_return co_await wait_in_queue(queue, ours, Patience::kWaits, context);
}

Task<Result<void>> change_of(Session& session, Path znode, Context context) {
  Result<Watch> left = co_await watch(session, znode, context);
  if (!left) {
    if (left.error() == Error::kNoNode) co_return Result<void>();
    std::optional<Watch> other =
        co_await ok(watch_otherwise(session, znode, left.error(), context));
    if (!other) co_return Result<void>();
    left = std::move(*other);
  }
  znode = Path(Text());  // Of what waits in a long queue there is much.
  co_await ok(left->fired(std::move(context)));
  co_return Result<void>();
}

}  // namespace lockstep
