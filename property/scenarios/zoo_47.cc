#include "zoo_47.h"

namespace lockstep::scenarios::zoo_47 {

namespace {

Task<Result<void>> remove(Session& session, Path znode) {
  for (;;) {
    const Result<void> removed = co_await session.remove(znode);
    // The flaw: kNoNode is success if there has been an attempt before.
    if (removed || !outcome_unknown(removed.error())) co_return removed;
    co_await ok(session.connected());
  }
}

}  // namespace

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Result<GrantRecord> grant = co_await acquire(self, **session, lock);
    if (!grant) continue;
    const Result<void> removed = co_await remove(**session, grant->znode);
    self.oracles().released(*grant,
                            removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
  }
}

}  // namespace lockstep::scenarios::zoo_47
