#pragma once

#include <cstdint>

#include "lockstep/lock_set.h"
#include "lockstep/path.h"

namespace lockstep::scenarios {

// The locks under `path` that a contender of this role takes together, in an order that depends on
// the role.
inline LockSet wanted_by(const Path& path, std::uint32_t role) {
  const Path mutex = path / "m";
  const Path sides = path / "r";
  const Path semaphore = path / "s";
  switch (role % 3) {
    case 0: return LockSet().leases(semaphore, 2, 2).write(sides).mutex(mutex);
    case 1: return LockSet().read(sides).leases(semaphore, 2);
    default: return LockSet().leases(semaphore, 2).mutex(mutex).read(sides);
  }
}

}  // namespace lockstep::scenarios
