#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_34 {

// Reset storm (CURATOR-644): when the znode in front goes away, this gives up its own and starts
// over with a new one; whoever stands behind it sees its predecessor go and does the same, and so
// on, round and round. Correct: back to the list, as in lockstep::wait_for_turn.
class Mutex {
 public:
  Mutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire();

 private:
  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

}  // namespace lockstep::scenarios::zoo_34
