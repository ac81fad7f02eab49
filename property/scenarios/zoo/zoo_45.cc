// Waits to be told (made up, after ZooKeeper's warning that a partitioned client is never told of
// its expiry): a holder promises to stop before another client can hold, and relies on the server
// to tell it when. During a partition the server cannot tell it, and gives the lock to the next
// client. Correct: lockstep::LossPolicy::kOwnClock, a loss by the holder's own clock.
#include "scenarios/broken_lock.h"
#include "scenarios/forwarding.h"

namespace lockstep::scenarios::zoo_45 {

namespace {

// Adds the promise to each grant.
class Promising final : public Forwarding {
 public:
  using Forwarding::Forwarding;

 private:
  void granted(const GrantRecord& grant) override {
    GrantRecord promised = grant;
    promised.loss = LossPolicy::kOwnClock;
    Forwarding::granted(promised);
  }
};

Task<void> hold(Contender& self, Session& session, Path lock) {
  Promising told(self.oracles());
  LockOptions options;
  // The flaw: this should be LossPolicy::kOwnClock.
  options.loss = LossPolicy::kServerNotice;
  FairMutex mutex(session, lock, options, &told);
  Result<HeldLock> held = co_await attempted(self, session, mutex.acquire());
  if (!held) co_return;
  static_cast<void>(co_await session.exists(lock));  // The work takes some time.
  static_cast<void>(co_await held->release());
}

const Registered kRegistered{
    Scenario{"zoo-45-waits-to-be-told", "zoo", "S2",
             "Relies on the server to report its loss, even during a partition.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_45
