#pragma once

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios {

// Holds the lock for half a minute, the length of one task.
template <class Mutex>
Task<void> hold_for_a_long_task(Contender& self, Session& session, Path lock) {
  Mutex mutex(session, lock, &self.oracles());
  const Attempt attempt(self, session.id());
  Result<HeldLock> held = co_await mutex.acquire();
  if (!held) co_return;
  static_cast<void>(co_await sleep_for(session.executor(), std::chrono::seconds(30)));
  co_await held->release();
}

}  // namespace lockstep::scenarios
