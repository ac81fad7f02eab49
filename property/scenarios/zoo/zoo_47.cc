// A false loss (made up): the reply to a release is lost with the connection, and the client
// repeats the release. It finds the znode gone and reports the lock as lost. So the holder undoes
// or repeats work that was protected. Correct: lockstep::HeldLock remembers its own attempt.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_47 {

namespace {

Task<Result<void>> remove(Session& session, Path znode) {
  for (;;) {
    const Result<void> removed = co_await session.remove(znode);
    // The flaw: after an earlier attempt, kNoNode means success.
    if (removed || !outcome_unknown(removed.error())) co_return removed;
    co_await ok(session.connected());
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  const Result<void> removed = co_await remove(session, grant->znode);
  self.oracles().released(*grant,
                          removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
}

const Registered kRegistered{
    Scenario{"zoo-47-loss-that-was-none", "zoo", "R2",
             "Reports a lock as lost if its own release, sent twice, has deleted the znode.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_47
