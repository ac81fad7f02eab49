#include "zoo_03.h"

namespace lockstep::scenarios::zoo_03 {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  bool woken = false;
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    const auto ahead = co_await retried(session, &Session::get_data_watched, predecessor, context);
    if (!ahead && ahead.error() == Error::kNoNode) continue;
    if (!ahead) co_return failure(ahead.error());
    // The flaw: `woken` should be false again from here on.
    if (!woken) co_await ok(ahead->watch.fired(context));
    woken = true;
  }
}

}  // namespace lockstep::scenarios::zoo_03
