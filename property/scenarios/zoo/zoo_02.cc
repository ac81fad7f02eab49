// Creation-watch leak (kazoo#490, CURATOR-107): the waiter watches its predecessor with exists. If
// the znode is gone by then, exists leaves a watch for the creation of a name that never comes
// back. Each such race costs the server and the client one watch until the session ends. Correct:
// lockstep::wait_in_queue reads with get_data, which leaves no watch on a missing znode.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_02 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    // The flaw: this calls exists instead of get_data.
    const auto ahead =
        co_await ok(retried(session, &Session::exists_watched, predecessor, context));
    if (!ahead.value) continue;
    co_await ok(ahead.watch.fired(context));
  }
}

const Registered kRegistered{Scenario{
    "zoo-02-creation-watch-leak", "zoo", "user:leaked-watch",
    "Leaves a watch for the creation of a name that never comes back.", lab::ScenarioSize{2, 1},
    &lock_scenario<WithWait<&wait_for_turn>, kPatient, &no_watch_is_left>,
    "kazoo#490, CURATOR-107"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_02
