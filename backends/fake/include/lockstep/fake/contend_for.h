#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/fake/lock_under_test.h"
#include "lockstep/held_lock.h"

namespace lockstep::fake {

// Mutex::acquire, bounded if it can be.
template <class Mutex>
Task<Result<HeldLock>> acquire(Mutex& mutex, Context patience) {
  if constexpr (requires { mutex.acquire(patience); }) {
    return mutex.acquire(std::move(patience));
  } else {
    return mutex.acquire();
  }
}

// The usual contender: acquires and releases once per round, with whatever session is alive.
// Mutex(Session&, Path, LockObserver*) with acquire(), or acquire(Context), is the recipe.
template <class Mutex>
Task<void> contend_for(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const SessionId id = (*session)->id();
    Mutex mutex(**session, lock, &self.oracles());
    const Context patience = self.patience();
    self.oracles().acquiring(id, self.client().process().index(), patience.deadline());
    Result<HeldLock> held = co_await acquire(mutex, patience);
    self.oracles().resolved(id);
    self.tried(held);
    if (!held) continue;
    const Path znode = held->znode();
    const ReleaseOutcome outcome = co_await held->release();
    const ReleaseOutcome again = co_await held->release();
    self.oracles().released_again(znode, outcome, again);
  }
}

// The same for a hunt.
template <class Mutex>
[[nodiscard]] LockUnderTest lock_under_test(std::string name) {
  LockUnderTest lock(std::move(name), &contend_for<Mutex>);
  lock.isolated = true;
  lock.source = "lockstep::fake::lock_under_test<" + lockstep::internal::type_name<Mutex>() +
                ">(\"" + lock.name + "\")";
  return lock;
}

}  // namespace lockstep::fake
