#include "lockstep/turn.h"

#include "lockstep/retried.h"
#include "lockstep/sequence.h"

namespace lockstep {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    // 2. List the queue, and leave no watch: watching the list would wake the whole herd.
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    // 3. The lowest sequence number holds the lock. (kNoNode: our own znode is gone.)
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    // 4. Watch the znode just ahead of ours, with a read that leaves no watch if it is gone.
    const Path predecessor = lock / position.predecessor;
    const Result<Watched<DataAndStat>> ahead =
        co_await retried(session, &Session::get_data_watched, predecessor, context);
    // 5. Already gone: back to 2. Otherwise wait for the notification, then back to 2.
    if (!ahead && ahead.error() == Error::kNoNode) continue;
    if (!ahead) co_return failure(ahead.error());
    co_await ok(ahead->watch.fired(context));
  }
}

}  // namespace lockstep
