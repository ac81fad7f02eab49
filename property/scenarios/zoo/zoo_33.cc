// Reset crosses evaluation (CURATOR-620, CURATOR-653): after a connection loss the contender starts
// over and deletes its znode in the background. A list in flight shows that znode in front, so the
// contender holds; then its own deletion is applied. Correct: the evaluation waits for the reset.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_33 {

namespace {

Task<void> reset(Session& session, Path ours) {
  const auto there = co_await session.exists(ours);
  if (there) static_cast<void>(co_await session.remove(ours));
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const auto queue = co_await session.get_children(lock, context);
    if (!queue && outcome_unknown(queue.error())) {
      co_await ok(session.connected(context));
      session.in_background(reset(session, ours));  // The flaw: this should be awaited.
      continue;
    }
    if (!queue) co_return failure(queue.error());
    const Position position = co_await ok(position_of(ours.name(), kLockMark, *queue));
    if (position.ahead == 0) co_return queue->parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    co_await ok(change_of(session, lock / position.predecessor, context));
  }
}

const Registered kRegistered{Scenario{
    "zoo-33-reset-crosses-evaluation", "zoo", "S4",
    "Deletes its znode in the background while a list shows it in front.", lab::ScenarioSize{2, 1},
    &lock_scenario<WithWait<&wait_for_turn>>, "CURATOR-620, CURATOR-653"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_33
