// Error after the create leaks the znode (go-zookeeper#229): the client stores the path for a later
// release only once it holds the lock. Any error before that leaves the znode in the queue, such as
// a connection loss during this list, which is not repeated. Correct: the same with
// lockstep::Place.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_12 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(session.get_children(lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    const auto ahead = co_await session.get_data_watched(predecessor, context);
    if (!ahead && ahead.error() == Error::kNoNode) continue;
    if (!ahead) co_return failure(ahead.error());
    co_await ok(ahead->watch.fired(context));
  }
}

using Mutex = AssembledMutex<&sound_create, &wait_for_turn, NoPlace>;

const Registered kRegistered{
    Scenario{"zoo-12-error-leaks-queue-znode", "zoo", "S5",
             "Stores its path only when it holds: an earlier error leaves the znode in the queue.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Mutex>, "go-zookeeper#229"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_12
