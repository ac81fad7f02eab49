// A release that forgets (CURATOR-486, CURATOR-678): the deletion meets a connection loss, but the
// lock object drops its entry anyway. The znode may live on, and no object knows it. Correct:
// HeldLock::release repeats the deletion until the znode is gone.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_16 {

namespace {

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  const Result<void> removed = co_await session.remove(grant->znode);
  // The flaw: this does not try again after an error.
  const bool released = removed.has_value();
  self.oracles().released(*grant, released ? ReleaseOutcome::kReleased : ReleaseOutcome::kUnknown);
}

const Registered kRegistered{
    Scenario{"zoo-16-release-forgets", "zoo", "S5",
             "Drops its entry although the deletion of its znode has failed.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "CURATOR-486, CURATOR-678"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_16
