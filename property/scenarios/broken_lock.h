#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "scenarios/assembled_mutex.h"
#include "scenarios/leftovers.h"
#include "scenarios/registry.h"

// The header for the file of a broken lock: sound parts, a fair mutex with one flawed step, the
// usual forms of a scenario, and Registered, which lists it.
namespace lockstep::scenarios {

inline constexpr auto kImpatient = lab::LastContender::kImpatient;
inline constexpr auto kPatient = lab::LastContender::kPatient;

// A fair mutex with this flawed step.
template <auto WaitForTurn>
using WithWait = AssembledMutex<&sound_create, WaitForTurn>;
template <auto TakePlace>
using WithCreate = AssembledMutex<TakePlace, &sound_wait>;

// A contender that does this in each round, with a session that is alive at its beginning.
using InOneRound = Task<void> (*)(Contender& self, Session& session, Path lock);
template <InOneRound kHold>
Task<void> each_round(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (session) co_await kHold(self, **session, lock);
  }
}

// The same, as a scenario.
template <InOneRound kHold, lab::LastContender kLast = kPatient>
lab::LockUnderTest in_each_round() {
  return contenders<&each_round<kHold>, kLast>();
}

// The result of this acquire, an attempt of which the oracles know.
template <class Held>
Task<Result<Held>> attempted(Contender& self, Session& session, Task<Result<Held>> acquire) {
  const Attempt attempt(self, session.id());
  co_return co_await std::move(acquire);
}

// A scenario under other rules than a mutex's, or on several servers.
template <lab::LockScenario::Contend kContend>
lab::LockUnderTest readers_and_writers() {
  return contention(kContend, kPatient, judge::read_write_rules());
}
template <lab::LockScenario::Contend kContend>
lab::LockUnderTest two_leases() {
  return contention(kContend, kPatient, judge::semaphore_rules(2));
}
template <class Mutex>
lab::LockUnderTest on_three_servers() {
  return contention(&lab::contend_briefly_for<Mutex>, kPatient, judge::mutex_rules(), 3);
}

}  // namespace lockstep::scenarios
