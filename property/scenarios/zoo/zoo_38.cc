// Zombie leader by the order of shutdown (paasta#2450): the program stops the client before the
// work that the lock protects. The session and the znode are gone, another client may lead, and the
// work goes on. Correct: end the work first, then call release(), then close().
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_38 {

namespace {

Task<void> hold(Contender& self, Session& session, Path lock) {
  FairMutex mutex(session, lock, &self.oracles());
  Result<HeldLock> held = co_await attempted(self, session, mutex.acquire());
  if (!held) co_return;
  self.resource().enter(session);
  // The flaw: close() comes before leave() and release().
  static_cast<void>(co_await session.close());
  self.resource().leave(session);
  co_await held->release();
}

const Registered kRegistered{
    Scenario{"zoo-38-zombie-leader", "zoo", "S2", "Closes its session before it stops working.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "paasta#2450"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_38
