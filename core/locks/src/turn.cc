#include "lockstep/turn.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/retried.h"
#include "lockstep/sleep.h"

namespace lockstep {

namespace internal {

// A read for its watch alone: many waiters keep such a watch, and none needs the data.
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

// A watch on a znode that is there. Not a coroutine, so that no frame keeps the request.
Operation<Watch> watch(Session& session, const Path& znode, const Context& context) {
  return {session, Request(OpCode::kGetData, znode), Context(context)};
}

// Waits until it is time for another look, after one that has failed with `error`.
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

// A contender's standing according to a list of the queue.
class Standing {
 public:
  explicit Standing(Zxid list) : evidence(list) {}
  explicit Standing(Path nearest) : ahead(std::move(nearest)) {}

  std::optional<Zxid> evidence;  // It holds: the pzxid of the list.
  Path ahead{Text()};            // It does not: the nearest znode in front that excludes it.
};

// 3. Whether the contender holds. It does not keep the list: n waiters would keep n times n names.
Result<Standing> standing_in(const LockQueue& queue, const Path& ours, Patience patience,
                             bool first_look, const Result<Children>& listed) {
  if (!listed) return failure(listed.error());
  // kNoNode: our own znode is gone.
  const Result<Position> position =
      position_of(name_in(queue.lock, ours), queue.marks, *listed, queue.own.name());
  if (!position) return failure(position.error());
  if (queue.observer && first_look && !position->foreign.empty()) {
    queue.observer->foreign_child(queue.lock, position->foreign);
  }
  if (position->ahead == 0) return Standing(listed->parent().pzxid);
  const bool conflict = patience == Patience::kDoesNotWait ||
                        (patience == Patience::kWaitsToShare && position->exclusive_ahead > 0);
  if (conflict) return failure(Error::kConflict);
  if (queue.observer) queue.observer->waiting(queue.session.id(), ours, position->ahead);
  return Standing(queue.lock / position->predecessor);
}

}  // namespace

Task<Result<Zxid>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                 const Context& context) {
  Session& session = queue.session;
  bool first_look = true;
  std::uint32_t refusals = 0;  // In a row.
  for (;;) {
    // 2. List the queue and leave no watch. 3. Does ours hold?
    Result<Standing> standing = standing_in(queue, ours, patience, first_look,
                                            co_await session.get_children(queue.lock, context));
    if (standing) {
      if (standing->evidence) co_return *standing->evidence;
      first_look = false;
      refusals = 0;
      // 4. Watch the nearest znode in front. 5. When it is gone, back to 2.
      co_await ok(change_of(session, std::move(standing->ahead), context));
    } else if (is_transient(standing.error())) {
      co_await ok(look_again(session, standing.error(), refusals++, context));
    } else {
      co_return failure(standing.error());
    }
  }
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
  znode = Path(Text());  // Free the path early: a long queue holds one such frame per waiter.
  co_await ok(left->fired(std::move(context)));
  co_return Result<void>();
}

}  // namespace lockstep
