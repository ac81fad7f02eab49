// Takes over unseen (made up): when the znode that it watches is deleted, this waiter holds without
// listing the queue again. That saves a round trip, and is right if that znode was the only one in
// front. Here it was the nearest of several and went away without a grant, and the first of them
// still holds. Correct: lockstep::wait_in_queue lists again after every event.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_44 {

namespace {

// Returns the queue's pzxid as the grant's evidence without reading the queue; kNoNode if our own
// place is gone too.
Task<Result<Zxid>> take_over(Session& session, Path lock, Path ours, Context context) {
  const Stat queue = co_await ok(retried(session, &Session::exists, lock, context));
  const DataAndStat own = co_await ok(retried(session, &Session::get_data, ours, context));
  if (own.stat.ephemeral_owner != session.id()) co_return failure(Error::kNoNode);
  co_return queue.pzxid;
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    const auto read = co_await retried(session, &Session::get_data_watched, predecessor, context);
    if (!read && read.error() == Error::kNoNode) continue;
    if (!read) co_return failure(read.error());
    const WatchEvent event = co_await ok(read->watch.fired(context));
    const bool gone = event.type() == EventType::kDeleted;
    // The flaw: this should list the queue again.
    if (gone) co_return co_await take_over(session, lock, ours, context);
  }
}

const Registered kRegistered{
    Scenario{"zoo-44-takes-over-unseen", "zoo", "S1",
             "Holds when the znode in front is deleted, without looking for other contenders.",
             lab::ScenarioSize{3, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_44
