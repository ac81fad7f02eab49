#include "zoo_02.h"

namespace lockstep::scenarios::zoo_02 {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    // The flaw: exists instead of get_data.
    const auto ahead =
        co_await ok(retried(session, &Session::exists_watched, predecessor, context));
    if (!ahead.value) continue;
    co_await ok(ahead.watch.fired(context));
  }
}

}  // namespace lockstep::scenarios::zoo_02
