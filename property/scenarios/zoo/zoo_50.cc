// Trusts any server's answer (made up, after ZooKeeper's Follower.followLeader): from each answer,
// a holder relies on its session for a session timeout. A server that lags goes on answering reads,
// and so does one that has lost its leader, until it notices. Meanwhile the leader hears nothing of
// the session, and ends it. Correct: lockstep::HeldLock::valid_until, whose proof is a sync, which
// the leader answers.
#include <optional>

#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_50 {

namespace {

constexpr int kLooks = 12;

// The time until which the holder relies on its session, after the answer to a read that it sent at
// `asked`.
std::optional<TimePoint> relies_until(const Session& session, const HeldLock& held,
                                      TimePoint asked) {
  static_cast<void>(held);
  // The flaw: the leader need not have heard of this read. (Clocks drift by less than a sixteenth.)
  return asked + session.timeout() - session.timeout() / 16;
}

Task<void> work(Contender& self, Session& session, const HeldLock& held) {
  Inside inside(self, session, held.cause());
  inside.leave_at(held.lost_token());
  Executor& executor = self.client().executor();
  for (int looks = 0; looks < kLooks; ++looks) {
    const TimePoint asked = executor.now();
    const auto answer = co_await session.exists(held.lock());
    if (!answer) co_return;
    const std::optional<TimePoint> until = relies_until(session, held, asked);
    if (until) inside.rely(*until);
    static_cast<void>(co_await sleep_for(executor, session.timeout() / 6));
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  LockOptions options;
  options.loss = LossPolicy::kServerNotice;
  FairMutex mutex(session, lock, options, &self.oracles());
  Result<HeldLock> held = co_await attempted(self, session, mutex.acquire());
  if (!held) co_return;
  co_await work(self, session, *held);
  static_cast<void>(co_await held->release());
}

lab::LockUnderTest on_an_ensemble() {
  lab::LockUnderTest lock = contention(&each_round<&hold>, kPatient, judge::mutex_rules(), 3);
  lock.tick_time = fake::FakeClient::kDefaultTimeout / 2;
  return lock;
}

const Registered kRegistered{
    Scenario{"zoo-50-takes-any-servers-word", "zoo", "S2",
             "Relies on its session after an answer from a server that has lost its leader.",
             lab::ScenarioSize{2, 1}, &on_an_ensemble, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_50
