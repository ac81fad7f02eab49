// Wake missed across a reconnect (kazoo#170): the connection is lost while the waiter reads its
// predecessor. The waiter sets its watch again after the reconnect, but does not check whether the
// predecessor was deleted in the meantime. Correct: lockstep::wait_in_queue judges a repeated read
// like the first.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_04 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    const Path predecessor = lock / position.predecessor;
    const auto ahead = co_await session.get_data_watched(predecessor, context);
    if (!ahead && ahead.error() == Error::kNoNode) continue;
    if (!ahead && !outcome_unknown(ahead.error())) co_return failure(ahead.error());
    if (ahead) {
      co_await ok(ahead->watch.fired(context));
      continue;
    }
    // The flaw: this ignores what the repeated read found.
    const auto again =
        co_await ok(retried(session, &Session::exists_watched, predecessor, context));
    co_await ok(again.watch.fired(context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-04-wake-missed-across-reconnect", "zoo", "L1",
             "Sets its watch again after a reconnect without checking whether it is too late.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "kazoo#170"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_04
