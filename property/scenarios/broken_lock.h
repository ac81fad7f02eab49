#pragma once

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
