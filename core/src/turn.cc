#include "lockstep/turn.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/retried.h"

namespace lockstep {

namespace {

// The nearest znode that keeps `ours` waiting; a null path if nobody does. (kNoNode: our own znode
// is gone.)
Result<Path> blocker_in(const Children& list, const LockQueue& queue, const Path& ours,
                        std::string_view name, Patience patience, bool first) {
  const Result<Position> position = position_of(name, queue.marks, list, queue.own.name());
  if (!position) return failure(position.error());
  if (queue.observer && first && !position->foreign.empty()) {
    queue.observer->foreign_child(queue.lock, position->foreign);
  }
  if (position->ahead == 0) return Path(Text());
  const bool conflict = patience == Patience::kDoesNotWait ||
                        (patience == Patience::kWaitsToShare && position->exclusive_ahead > 0);
  if (conflict) return failure(Error::kConflict);
  if (queue.observer) queue.observer->waiting(queue.session.id(), ours, position->ahead);
  return queue.lock / position->predecessor;
}

// The name of `ours`, a child of `lock`: what follows its path. No search for the last slash.
std::string_view name_in(const Path& lock, const Path& ours) {
  const std::string_view path = ours.view();
  const std::size_t above = lock.view().size();
  if (path.size() <= above || path[above] != '/') return ours.name();  // In the root.
  return path.substr(above + 1);
}

// The reads of a wait, as functions that are no coroutines: what their arguments are made of is not
// kept in the frame of each contender that waits, and there may be thousands.
Operation<Children> list(const LockQueue& queue, const Context& context) {
  return queue.session.get_children(queue.lock, context);
}
Task<Result<Children>> list_again(const LockQueue& queue, const Context& context) {
  return read_again(queue.session, &Session::get_children, queue.lock, context);
}
Operation<Watched<DataAndStat>> watch(Session& session, const Path& znode, const Context& context) {
  return session.get_data_watched(znode, context);
}

// A watch that fires when the znode changes; none if it is not there. What it takes to get the
// watch is gone when this returns: of what waits in a long queue there are many.
Task<Result<std::optional<Watch>>> watch_changes(Session& session, Path znode,
                                                 const Context& context) {
  Result<Watched<DataAndStat>> read = co_await watch(session, znode, context);
  if (outcome_unknown(read)) {
    read = co_await read_again(session, &Session::get_data_watched, znode, context);
  }
  if (read) co_return std::move(read->watch);
  if (read.error() == Error::kNoNode) co_return std::optional<Watch>();
  if (read.error() != Error::kNoAuth) co_return failure(read.error());
  auto list =
      co_await ok(retried(session, &Session::get_children_watched, znode.parent(), context));
  const auto names = list.value.names();
  if (std::ranges::find(names, znode.name()) == names.end()) co_return std::optional<Watch>();
  co_return std::move(list.watch);
}

}  // namespace

Task<Result<Zxid>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                 const Context& context) {
  const std::string_view name = name_in(queue.lock, ours);
  for (bool first = true;; first = false) {
    Result<Path> predecessor = failure(Error::kNoNode);
    {
      // 2. List the queue, and leave no watch: watching the list would wake the whole herd.
      Result<Children> listed = co_await list(queue, context);
      if (outcome_unknown(listed)) listed = co_await list_again(queue, context);
      if (!listed) co_return failure(listed.error());
      // 3. Whom nobody keeps waiting holds the lock.
      predecessor = blocker_in(*listed, queue, ours, name, patience, first);
      if (!predecessor) co_return failure(predecessor.error());
      if (predecessor->text().is_null()) co_return listed->parent().pzxid;
    }  // Nobody waits with the list in hand: n waiters would keep n times n names.
    // 4. Watch the nearest znode in front of ours. 5. When it is gone, back to 2.
    const std::optional<Watch> watch =
        co_await ok(watch_changes(queue.session, std::move(*predecessor), context));
    if (watch) co_await ok(watch->fired(context));
  }
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  const LockQueue queue(session, std::move(lock), kMutexMarks, observer);
  co_return co_await wait_in_queue(queue, ours, Patience::kWaits, context);
}

Task<Result<void>> change_of(Session& session, Path znode, Context context) {
  const std::optional<Watch> watch = co_await ok(watch_changes(session, std::move(znode), context));
  if (watch) co_await ok(watch->fired(std::move(context)));
  co_return Result<void>();
}

}  // namespace lockstep
