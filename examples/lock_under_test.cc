// A unit test without a server and without sleeping: the session of the lock's holder expires.
#include <cstdio>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/simulation.h"

using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::LockState;
using lockstep::Result;

int main() {
  lockstep::fake::Simulation simulation;
  const auto ann = simulation.open("Ann");
  const auto bob = simulation.open("Bob");
  FairMutex ann_mutex(*ann, "/lock");
  FairMutex bob_mutex(*bob, "/lock");

  const Result<HeldLock> ann_holds = simulation.run(ann_mutex.acquire());
  const auto bob_waits = simulation.start(bob_mutex.acquire());
  simulation.expire(*ann);          // The servers hear nothing of Ann for ten virtual seconds.
  simulation.run_until(bob_waits);  // Throws, and names the waiters, if Bob waits forever.

  simulation.settle();
  std::printf("Ann's lock is %s, Bob's is %s\n", name(ann_holds->state()).data(),
              name(bob_waits.result()->state()).data());
  return ann_holds->state() == LockState::kLost ? 0 : 1;
}
