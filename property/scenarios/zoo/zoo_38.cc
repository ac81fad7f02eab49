// Zombie leader by the order of shutdown (paasta#2450): the program stops the client before the
// work that the lock protects. The session and the znode are gone, another client may lead, and the
// work goes on. Correct: end the work first, then call release(), then close().
#include <optional>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_38 {

namespace {

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
    // The flaw: close() comes before leave() and release().
    static_cast<void>(co_await (*session)->close());
    self.resource().leave(**session);
    co_await held->release();
  }
}

const Registered kRegistered{
    Scenario{"zoo-38-zombie-leader", "zoo", "S2", "Closes its session before it stops working.",
             lab::ScenarioSize{2, 1}, &contenders<&contend>, "paasta#2450"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_38
