// Herd (the textbook case; CURATOR-716 inside one process): all waiters watch the list of children,
// so each release wakes all of them, and each reads the whole list. Correct:
// lockstep::wait_in_queue watches only the znode in front.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_40 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    // The flaw: this watches the whole list.
    const auto queue = co_await ok(retried(session, &Session::get_children_watched, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue.value));
    if (position.ahead == 0) co_return queue.value.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    co_await ok(queue.watch.fired(context));
  }
}

const Registered kRegistered{Scenario{
    "zoo-40-herd", "zoo", "L3", "All waiters watch the list: every release wakes all of them.",
    lab::ScenarioSize{3, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "CURATOR-716"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_40
