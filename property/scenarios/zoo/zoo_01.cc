// Wait after a missing predecessor (apache/helix#44; ZooKeeper's own WriteLock.java): the
// predecessor is deleted between the list and the read that should register the watch. The waiter
// sees that it is gone, and waits for a watch anyway; no event will wake it. Correct:
// lockstep::wait_in_queue.
#include "lockstep/ok.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_01 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    const auto ahead =
        co_await ok(retried(session, &Session::exists_watched, predecessor, context));
    // The flaw: this does not check that the znode was there.
    co_await ok(ahead.watch.fired(context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-01-wait-after-missing-predecessor", "zoo", "L1",
             "Waits for a predecessor that was deleted before the watch was registered.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "apache/helix#44"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_01
