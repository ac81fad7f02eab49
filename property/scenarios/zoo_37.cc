#include "zoo_37.h"

namespace lockstep::scenarios::zoo_37 {

namespace {

Task<void> work(Contender& self, Path lock) {
  for (;;) {
    // The flaw: kSessionExpired should end it.
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    const auto done = co_await (*session)->exists(lock);
    if (done || done.error() == Error::kNoNode) co_return;
  }
}

}  // namespace

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Result<GrantRecord> grant = co_await acquire(self, **session, lock);
    if (!grant) continue;
    self.resource().enter(**session);
    co_await work(self, lock);
    self.resource().leave(**session);
    const Result<void> removed = co_await remove_surely(**session, grant->znode);
    self.oracles().released(*grant,
                            removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
  }
}

}  // namespace lockstep::scenarios::zoo_37
