#include "zoo_38.h"

#include <optional>

namespace lockstep::scenarios::zoo_38 {

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    FairMutex mutex(**session, lock, &self.oracles());
    std::optional<Attempt> attempt;
    attempt.emplace(self, (*session)->id());
    Result<HeldLock> held = co_await mutex.acquire();
    attempt.reset();
    if (!held) continue;
    self.resource().enter(**session);
    // The flaw: comes before leave() and release().
    static_cast<void>(co_await (*session)->close());
    self.resource().leave(**session);
    co_await held->release();
  }
}

}  // namespace lockstep::scenarios::zoo_38
