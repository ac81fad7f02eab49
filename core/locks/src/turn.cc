#include "lockstep/turn.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/retried.h"
#include "lockstep/revocation.h"
#include "lockstep/sleep.h"

namespace lockstep {

namespace internal {

// A read that keeps only its watch: many waiters keep such a watch, and none needs the data.
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

// The name of `ours`, a child of `lock`, without a search for the last slash.
std::string_view name_in(const Path& lock, const Path& ours) {
  const std::string_view path = ours.view();
  const std::size_t above = lock.view().size();
  if (path.size() <= above || path[above] != '/') return ours.name();  // A child of the root.
  return path.substr(above + 1);
}

// A watch on an existing znode. Not a coroutine, so that no frame keeps the request.
Operation<Watch> watch(Session& session, const Path& znode, const Context& context) {
  return {session, Request(OpCode::kGetData, znode), Context(context)};
}

// Waits until it is time to look again, after a look that failed with `error`.
Task<Result<void>> look_again(Session& session, Error error, std::uint32_t refusals,
                              Context context) {
  if (error == Error::kThrottledOp) {
    const Duration pause = Retry::pause(session.random(), refusals);
    co_await ok(sleep_for(session.executor(), pause, context));
  }
  co_return co_await session.connected(std::move(context));
}

// Retries a watch on a znode, after a first attempt that failed with `error`; none if the znode
// does not exist.
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

// Whether the session has kept one connection since this object was created.
class OneConnection final : private SessionListener {
 public:
  explicit OneConnection(Session& session)
      : session_(session), unbroken_(session.state() == SessionState::kConnected) {
    session_.add_listener(*this);
  }
  ~OneConnection() { session_.remove_listener(*this); }
  [[nodiscard]] bool unbroken() const { return unbroken_; }

 private:
  void session_changed(SessionState) override { unbroken_ = false; }

  Session& session_;
  bool unbroken_;
};

bool is_proven(const Session& session) {
  const std::optional<TimePoint> valid_until = session.valid_until();
  return valid_until && session.executor().now() < *valid_until;
}

// A contender in a queue, and its standing by the last list. It does not keep the list: n waiters
// would keep n times n names. All constructor arguments outlive it.
class Standing {
 public:
  Standing(const LockQueue& in, const Path& contender, Patience patient)
      : queue(in), ours(contender), patience(patient) {}

  // 3. Looks for the contender in a list. Errors: those of the list, and of wait_in_queue().
  Result<void> see(const Result<Children>& list);
  // The only contender in front has gone, so ours holds. `watch` is on our own znode.
  void outlived(Watch watch) {
    holds = true;
    own = std::move(watch);
  }
  [[nodiscard]] TurnProof proof() && {
    if (!own) return TurnProof(listed);
    return {listed, std::move(ahead), std::move(*own)};
  }

  const LockQueue& queue;
  const Path& ours;
  Patience patience;
  bool holds = false;
  bool second = false;  // Only contenders are in the list, and only one of them in front.
  bool seen = false;    // It has seen a list before.
  Zxid listed = 0;      // The pzxid of the list.
  Path ahead{Text()};   // The nearest znode in front that excludes it.
  std::optional<Watch> own;
};

Result<void> Standing::see(const Result<Children>& list) {
  if (!list) return failure(list.error());
  // kNoNode: our own znode is gone.
  const Result<Position> position =
      position_of(name_in(queue.lock, ours), queue.marks, *list, queue.own.name());
  if (!position) return failure(position.error());
  const bool first_look = !std::exchange(seen, true);
  if (queue.observer && first_look && !position->foreign.empty()) {
    queue.observer->foreign_child(queue.lock, position->foreign);
  }
  listed = list->parent().pzxid;
  holds = position->ahead == 0;
  if (holds) return {};
  const bool conflict = patience == Patience::kDoesNotWait ||
                        (patience == Patience::kWaitsToShare && position->exclusive_ahead > 0);
  if (conflict) return failure(Error::kConflict);
  if (queue.observer) queue.observer->waiting(queue.session.id(), ours, position->ahead);
  second = position->ahead == 1 && position->foreign.empty();
  ahead = queue.lock / position->predecessor;
  return {};
}

// 2. Lists the queue without a watch, unless `list` already has an attempt; rides out transient
// errors. A separate coroutine, so that its locals do not stay in the frame of each waiting
// contender. All arguments outlive the task.
Task<Result<void>> look(Standing& standing, std::optional<Result<Children>>& list,
                        const Context& context) {
  Session& session = standing.queue.session;
  for (std::uint32_t refusals = 0;; ++refusals) {
    if (!list) list = co_await session.get_children(standing.queue.lock, context);
    const Result<void> seen = standing.see(*list);
    list.reset();
    if (!is_transient(seen)) co_return seen;
    co_await ok(look_again(session, seen.error(), refusals, context));
  }
}

// Waits until the only znode in front changes or is deleted; the list has just come on this
// connection. Afterwards the standing says whether ours holds; if not, only another list can tell.
// Errors: those of change_of(). All arguments outlive the task.
Task<Result<void>> outlive(Standing& standing, const Context& context) {
  Session& session = standing.queue.session;
  const OneConnection connection(session);
  Operation<Watched<DataAndStat>> own_read = session.get_data_watched(standing.ours, context);
  Operation<Watched<DataAndStat>> ahead_read = session.get_data_watched(standing.ahead, context);
  Result<Watched<DataAndStat>> own = co_await own_read;
  const Result<Watched<DataAndStat>> left = co_await ahead_read;
  if (!left) {
    if (left.error() != Error::kNoNode) co_await ok(change_of(session, standing.ahead, context));
    co_return Result<void>();
  }
  const Result<WatchEvent> event = co_await left->watch.fired(context);
  if (!event) co_return failure(event.error());
  // The end of a session deletes all of its znodes in one transaction.
  if (left->value.stat.ephemeral_owner == session.id()) co_return Result<void>();
  if (!own || own->value.stat.ephemeral_owner != session.id()) co_return Result<void>();
  if (own->watch.has_fired()) co_return Result<void>();
  // The request came before the watch, which will not report it.
  if (own->value.data.view() == kRevokeRequest) co_return Result<void>();
  if (!connection.unbroken()) co_return Result<void>();
  if (event->type() != EventType::kDeleted) co_return Result<void>();
  if (!is_proven(session)) co_return Result<void>();
  standing.outlived(std::move(own->watch));
  co_return Result<void>();
}

}  // namespace

Task<Result<TurnProof>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                      const Context& context,
                                      std::optional<Result<Children>> first) {
  Standing standing(queue, ours, patience);
  for (;;) {
    // 2. List the queue and leave no watch. 3. Does ours hold?
    if (first && *first) {
      co_await ok(standing.see(*first));
      first.reset();
    } else {
      co_await ok(look(standing, first, context));
    }
    if (standing.holds) co_return std::move(standing).proof();
    // 4. Watch the nearest znode in front. 5. When it is gone, back to 2.
    if (!queue.takes_over || !standing.second) {
      co_await ok(change_of(queue.session, std::move(standing.ahead), context));
      continue;
    }
    // It is the only one in front: when it is gone, ours holds.
    co_await ok(outlive(standing, context));
    if (standing.holds) co_return std::move(standing).proof();
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
