// Held after expiry, silently (CURATOR-206, go-zookeeper#20, etcd#11457): A's session expires while
// A works, and B acquires and writes. A does not know and writes too. Correct:
// SharedResource::write_fenced, a resource that refuses older tokens; a notice of the loss alone
// may come too late.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_29 {

namespace {

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Result<GrantRecord> grant = co_await acquire(self, **session, lock);
    if (!grant) continue;
    static_cast<void>(co_await (*session)->exists(lock));  // The work takes some time.
    // The flaw: this should call write_fenced().
    self.resource().write(grant->token);
    const Result<void> removed = co_await remove_surely(**session, grant->znode);
    self.oracles().released(*grant,
                            removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
  }
}

const Registered kRegistered{Scenario{
    "zoo-29-held-after-expiry", "zoo", "user:stale-write",
    "Writes without a fencing token after its session has expired.", lab::ScenarioSize{2, 1},
    &contenders<&contend>, "CURATOR-206, go-zookeeper#20, etcd#11457"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_29
