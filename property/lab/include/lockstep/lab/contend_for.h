#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/held_lock.h"
#include "lockstep/lab/lock_under_test.h"
#include "lockstep/sleep.h"

namespace lockstep::lab {

// Whether an acquire of a Mutex can be bounded.
template <class Mutex>
inline constexpr bool kTakesContext =
    requires(Mutex& mutex, Context patience) { mutex.acquire(patience); };

// Mutex::acquire, bounded if it can be.
template <class Mutex>
Task<Result<HeldLock>> acquire(Mutex& mutex, const Context& patience) {
  if constexpr (kTakesContext<Mutex>) {
    return mutex.acquire(patience);
  } else {
    return mutex.acquire();
  }
}

// Acquires and releases once per round, with the session that is alive then. It holds for as long
// as the chooser decides, or for no time.
template <class Mutex, bool kTakesItsTime>
Task<void> contend_in_rounds(Contender& self, Path lock, std::uint32_t rounds) {
  static_assert(std::constructible_from<Mutex, Session&, Path, LockObserver*>,
                "a hunt makes the lock as Mutex(Session&, Path, LockObserver*)");
  static_assert(
      kTakesContext<Mutex> || requires(Mutex& mutex) { mutex.acquire(); },
      "a hunt takes the lock by acquire() or acquire(Context)");
  self.oracles().makes_grants_of(lock);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const SessionId id = (*session)->id();
    Mutex mutex(**session, lock, &self.oracles());
    const Context patience = self.patience();
    self.oracles().acquiring(id, self.client().process().index(), patience.deadline());
    Result<HeldLock> held = co_await acquire(mutex, patience);
    std::optional<Error> failure;
    if (!held) failure = held.error();
    self.oracles().resolved(id, 0, failure);
    self.tried(held, patience);
    if (!held) continue;
    if constexpr (kTakesItsTime) {
      const Duration time = self.holding_time();
      if (time > Duration::zero()) {
        static_cast<void>(co_await sleep_for(self.client().executor(), time));
      }
    }
    const Path znode = held->znode();
    const ReleaseOutcome outcome = co_await held->release();
    const ReleaseOutcome again = co_await held->release();
    self.oracles().released_again(znode, outcome, again);
  }
}

// The usual contender: acquires and releases once per round. How long it holds is a choice like any
// other (Contender::holding_time). The recipe is Mutex(Session&, Path, LockObserver*) with
// acquire(), or acquire(Context).
template <class Mutex>
Task<void> contend_for(Contender& self, Path lock, std::uint32_t rounds) {
  return contend_in_rounds<Mutex, true>(self, std::move(lock), rounds);
}

// The same, but never holds any longer than it takes to release.
template <class Mutex>
Task<void> contend_briefly_for(Contender& self, Path lock, std::uint32_t rounds) {
  return contend_in_rounds<Mutex, false>(self, std::move(lock), rounds);
}

// The same as contend_for, as a LockUnderTest. If acquires can be bounded, the last contender is
// impatient.
template <class Mutex>
[[nodiscard]] LockUnderTest lock_under_test(std::string name) {
  LockUnderTest lock(std::move(name), &contend_for<Mutex>);
  if (kTakesContext<Mutex>) lock.last = lock.usual_last = LastContender::kImpatient;
  lock.isolated = true;
  lock.usual_contend = &contend_for<Mutex>;
  lock.source = "lockstep::lab::lock_under_test<" + lockstep::internal::type_name<Mutex>() +
                ">(\"" + lock.name + "\")";
  return lock;
}

}  // namespace lockstep::lab
