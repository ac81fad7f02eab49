// Clears away what it holds (made up): when the connection breaks during its work, a holder deletes
// its znode as soon as it is connected again, so that no other client waits unnecessarily. But the
// session lives and the work goes on while the next client holds. Correct: keep the znode until the
// work is done, as lockstep::HeldLock does.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_51 {

namespace {

Task<void> work(Session& session, Path lock, Path znode) {
  const auto looked = co_await session.exists(lock);
  if (looked || is_over(session.state())) co_return;
  // The flaw: the lock is held as long as the session lives.
  remove_guaranteed(session, znode);
  static_cast<void>(co_await session.connected());
  static_cast<void>(co_await session.exists(lock));  // The rest of the work.
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  co_await work(session, lock, grant->znode);
  self.oracles().releasing(*grant);
  co_await release(self, session, *grant);
}

const Registered kRegistered{
    Scenario{"zoo-51-clears-away-what-it-holds", "zoo", "S4",
             "Deletes its znode after a connection loss, and goes on with its work.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_51
