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

// Whether a session has had one connection, without interruption, since this was made.
class OneConnection final : private SessionListener {
 public:
  explicit OneConnection(Session& session)
      : session_(session), unbroken_(session.state() == SessionState::kConnected) {
    session_.add_listener(*this);
  }
  OneConnection(const OneConnection&) = delete;
  OneConnection& operator=(const OneConnection&) = delete;
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

// Waits until `ahead`, the only znode in front of `ours` on a list that this connection has just
// brought, changes or is deleted. Resolves with a watch on `ours` if `ours` holds since then; with
// none if only another list can tell. Errors: those of change_of().
Task<Result<std::optional<Watch>>> outlive(Session& session, const Path& ours, Path ahead,
                                           const Context& context) {
  const OneConnection connection(session);
  Operation<Watched<DataAndStat>> own_read = session.get_data_watched(ours, context);
  Operation<Watched<DataAndStat>> ahead_read = session.get_data_watched(ahead, context);
  Result<Watched<DataAndStat>> own = co_await own_read;
  const Result<Watched<DataAndStat>> left = co_await ahead_read;
  if (!left) {
    if (left.error() != Error::kNoNode) co_await ok(change_of(session, ahead, context));
    co_return std::optional<Watch>();
  }
  const Result<WatchEvent> event = co_await left->watch.fired(context);
  if (!event) co_return failure(event.error());
  // The end of a session deletes all of its znodes in one transaction.
  if (left->value.stat.ephemeral_owner == session.id()) co_return std::optional<Watch>();
  if (!own || own->value.stat.ephemeral_owner != session.id()) co_return std::optional<Watch>();
  if (own->watch.has_fired()) co_return std::optional<Watch>();
  if (!connection.unbroken()) co_return std::optional<Watch>();
  if (event->type() != EventType::kDeleted) co_return std::optional<Watch>();
  if (!is_proven(session)) co_return std::optional<Watch>();
  co_return std::optional<Watch>(std::move(own->watch));
}

// A contender's standing according to a list of the queue.
class Standing {
 public:
  explicit Standing(Zxid list) : listed(list) {}
  Standing(Path nearest, Zxid list, bool is_second)
      : listed(list), ahead(std::move(nearest)), holds(false), second(is_second) {}

  Zxid listed;         // The pzxid of the list.
  Path ahead{Text()};  // If it does not hold: the nearest znode in front that excludes it,
  bool holds = true;
  bool second = false;  // and whether only contenders are in the list, and only one in front.
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
  const bool second = position->ahead == 1 && position->foreign.empty();
  return Standing(queue.lock / position->predecessor, listed->parent().pzxid, second);
}

}  // namespace

Task<Result<TurnProof>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                      const Context& context,
                                      std::optional<Result<Children>> first) {
  Session& session = queue.session;
  bool first_look = true;
  std::uint32_t refusals = 0;  // In a row.
  for (;;) {
    // 2. List the queue and leave no watch. 3. Does ours hold?
    if (!first) first = co_await session.get_children(queue.lock, context);
    Result<Standing> standing = standing_in(queue, ours, patience, first_look, *first);
    first.reset();
    if (standing) {
      if (standing->holds) co_return TurnProof(standing->listed);
      first_look = false;
      refusals = 0;
      // 4. Watch the nearest znode in front. 5. When it is gone, back to 2.
      if (!queue.takes_over || !standing->second) {
        co_await ok(change_of(session, std::move(standing->ahead), context));
        continue;
      }
      // It is the only one in front: when it is gone, ours holds.
      std::optional<Watch> own = co_await ok(outlive(session, ours, standing->ahead, context));
      if (own) co_return TurnProof(standing->listed, std::move(standing->ahead), std::move(*own));
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
