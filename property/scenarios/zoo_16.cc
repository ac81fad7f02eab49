#include "zoo_16.h"

namespace lockstep::scenarios::zoo_16 {

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Result<GrantRecord> grant = co_await acquire(self, **session, lock);
    if (!grant) continue;
    const Result<void> removed = co_await (*session)->remove(grant->znode);
    // The flaw: that was it, whatever came of it.
    const bool released = removed.has_value();
    self.oracles().released(*grant,
                            released ? ReleaseOutcome::kReleased : ReleaseOutcome::kUnknown);
  }
}

}  // namespace lockstep::scenarios::zoo_16
