#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_19 {

// The semaphore by its parts: a mutex that is held while a lease is taken, and the leases.
struct Flaws {
  // Zoo 19, lease orphans (CURATOR-315, CURATOR-335, CURATOR-462): the reply to the create of the
  // lease is lost, the acquire fails, and one permit less is left for everybody. Correct:
  // lockstep::protected_create.
  bool lease = false;
  // Zoo 20, the inner lock leaks (kazoo#429): an error while the lease is taken leaves the mutex
  // held. Correct: a guard, as in lockstep::Semaphore.
  bool inner_lock = false;
};

Task<void> contend_with(Contender& self, Path path, std::uint32_t rounds, Flaws flaws);

template <Flaws kFlaws>
Task<void> contend(Contender& self, Path path, std::uint32_t rounds) {
  return contend_with(self, std::move(path), rounds, kFlaws);
}

}  // namespace lockstep::scenarios::zoo_19
