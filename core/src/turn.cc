#include "lockstep/turn.h"

#include <algorithm>

#include "lockstep/retried.h"

namespace lockstep {

namespace {

bool conflicts(const Position& position, Patience patience) {
  if (patience == Patience::kDoesNotWait) return position.ahead > 0;
  return patience == Patience::kWaitsToShare && position.exclusive_ahead > 0;
}

}  // namespace

Task<Result<Zxid>> wait_in_queue(LockQueue queue, Path ours, Path own, Patience patience,
                                 Context context) {
  for (bool first = true;; first = false) {
    // 2. List the queue, and leave no watch: watching the list would wake the whole herd.
    const Children list =
        co_await ok(retried(queue.session, &Session::get_children, queue.lock, context));
    // 3. Whom nobody keeps waiting holds the lock. (kNoNode: our own znode is gone.)
    const Position position = co_await ok(position_of(ours.name(), queue.marks, list, own.name()));
    if (queue.observer && first && !position.foreign.empty()) {
      queue.observer->foreign_child(queue.lock, position.foreign);
    }
    if (position.ahead == 0) co_return list.parent().pzxid;
    if (conflicts(position, patience)) co_return failure(Error::kConflict);
    if (queue.observer) queue.observer->waiting(queue.session.id(), ours, position.ahead);
    // 4. Watch the nearest znode in front of ours. 5. When it is gone, back to 2.
    co_await ok(change_of(queue.session, queue.lock / position.predecessor, context));
  }
}

Task<Result<Zxid>> wait_in_queue(LockQueue queue, Path ours, Patience patience, Context context) {
  return wait_in_queue(std::move(queue), std::move(ours), Path(Text()), patience,
                       std::move(context));
}

Task<Result<void>> change_of(Session& session, Path znode, Context context) {
  const Result<Watched<DataAndStat>> read =
      co_await retried(session, &Session::get_data_watched, znode, context);
  if (read) {
    co_await ok(read->watch.fired(context));
  } else if (read.error() == Error::kNoAuth) {
    const auto list =
        co_await ok(retried(session, &Session::get_children_watched, znode.parent(), context));
    const auto names = list.value.names();
    if (std::ranges::find(names, znode.name()) != names.end()) {
      co_await ok(list.watch.fired(context));
    }
  } else if (read.error() != Error::kNoNode) {
    co_return failure(read.error());
  }
  co_return Result<void>();
}

}  // namespace lockstep
