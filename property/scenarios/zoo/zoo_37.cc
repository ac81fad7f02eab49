// A retry layer eats the expiry (accumulo#1086): it repeats each request until it succeeds, in a
// new session if necessary. So the holder never learns that its lock went with the old session.
// Correct: a holder's request ends with its session.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_37 {

namespace {

Task<void> work(Contender& self, Path lock) {
  for (;;) {
    // The flaw: kSessionExpired should end this loop.
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    const auto done = co_await (*session)->exists(lock);
    if (done || done.error() == Error::kNoNode) co_return;
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  self.resource().enter(session);
  co_await work(self, lock);
  self.resource().leave(session);
  co_await release(self, session, *grant);
}

const Registered kRegistered{
    Scenario{"zoo-37-retry-eats-expiry", "zoo", "S2",
             "Repeats its requests in a new session, and goes on as if it held the lock.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "accumulo#1086"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_37
