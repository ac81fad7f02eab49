// Held after expiry, silently (CURATOR-206, go-zookeeper#20, etcd#11457): A's session expires while
// A works, and B acquires and writes. A does not know and writes too. Correct:
// SharedResource::write_fenced, a resource that refuses older tokens; a notice of the loss alone
// may come too late.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_29 {

namespace {

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  static_cast<void>(co_await session.exists(lock));  // The work takes some time.
  // The flaw: this should call write_fenced().
  self.resource().write(grant->token);
  co_await release(self, session, *grant);
}

const Registered kRegistered{Scenario{
    "zoo-29-held-after-expiry", "zoo", "user:stale-write",
    "Writes without a fencing token after its session has expired.", lab::ScenarioSize{2, 1},
    &in_each_round<&hold>, "CURATOR-206, go-zookeeper#20, etcd#11457"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_29
