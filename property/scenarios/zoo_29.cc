#include "zoo_29.h"

namespace lockstep::scenarios::zoo_29 {

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Result<GrantRecord> grant = co_await acquire(self, **session, lock);
    if (!grant) continue;
    static_cast<void>(co_await (*session)->exists(lock));  // The work takes its time.
    // The flaw: should be write_fenced().
    self.resource().write(grant->token);
    const Result<void> removed = co_await remove_surely(**session, grant->znode);
    self.oracles().released(*grant,
                            removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
  }
}

}  // namespace lockstep::scenarios::zoo_29
