#include "zoo_40.h"

namespace lockstep::scenarios::zoo_40 {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    // The flaw: the list is what is watched.
    const auto queue = co_await ok(retried(session, &Session::get_children_watched, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue.value));
    if (position.ahead == 0) co_return queue.value.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    co_await ok(queue.watch.fired(context));
  }
}

}  // namespace lockstep::scenarios::zoo_40
