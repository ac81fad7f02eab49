#pragma once

#include "scenarios/parts.h"

namespace lockstep::scenarios {

// Holds the lock for half a minute in each round, the length of one task.
template <class Mutex>
Task<void> contend_with_long_tasks(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    Mutex mutex(**session, lock, &self.oracles());
    const Attempt attempt(self, (*session)->id());
    Result<HeldLock> held = co_await mutex.acquire();
    if (!held) continue;
    static_cast<void>(co_await sleep_for(self.client().executor(), std::chrono::seconds(30)));
    co_await held->release();
  }
}

}  // namespace lockstep::scenarios
