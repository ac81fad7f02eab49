// Stale wake flag (kazoo#26): the watch sets a flag that the waiter never clears. After the first
// wake the waiter no longer waits; it reads the queue in a loop. Correct: one flag for each watch,
// as in lockstep::wait_in_queue, where the Watch itself is the flag.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_03 {

namespace {

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

const Registered kRegistered{
    Scenario{"zoo-03-stale-wake-flag", "zoo", "livelock",
             "Never clears the flag that woke it, and reads the queue in a loop.",
             lab::ScenarioSize{3, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "kazoo#26"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_03
