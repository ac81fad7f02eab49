#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

#include "inside.h"
#include "lockstep/lab/blocking_scenario.h"
#include "parts.h"
#include "registry.h"

// The common part of the scenarios with blocking code.
namespace lockstep::scenarios {

using lab::Contender;

// The critical section of a holder that learns of its loss by `lost`, if that has a stop state.
inline void work_until(Contender& self, const Session& session, std::stop_token lost) {
  if (is_over(session.state()) || lost.stop_requested()) return;
  Inside inside(self, session, std::nullopt);
  if (!lost.stop_possible()) return;
  inside.leave_at(std::move(lost));
  // Takes some time.
  static_cast<void>(lab::blocking_session_id(self.client()));
}

// The critical section. The grant may have ended before its holder runs again.
template <class Lock>
void work(Contender& self, Lock& lock) {
  const std::shared_ptr<Session> session = self.client().current();
  std::stop_token lost;
  if (lingers(self)) lost = lock.lost_token();
  work_until(self, *session, lost);
}

// One round with a new lock, begun on that session. A std::system_error ends it.
using BlockingRound = void (*)(Contender& self, SessionId session, const Path& lock,
                               std::uint32_t role);

template <BlockingRound kRound>
Task<void> block_in_rounds(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber([&self, lock = std::move(lock), rounds] {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      const Result<SessionId> session = lab::blocking_session_id(self.client());
      if (!session) continue;
      try {
        kRound(self, *session, lock, self.client().process().index() + i);
      } catch (const std::system_error&) {  // The next round is a new attempt.
      }
    }
  });
}

// Calls take(deadline), which may block until it has a lock, and reports the attempt to the
// oracles. A patient contender has no deadline.
template <class Take>
void patiently(Contender& self, SessionId session, Take take) {
  const Context patience = self.patience();
  const Attempt attempt(self, session, patience);
  take(patience.deadline());
}

// Takes a standard lock that is not held yet.
template <class StandardLock>
void lock_patiently(Contender& self, SessionId session, StandardLock& held) {
  patiently(self, session, [&held](std::optional<TimePoint> deadline) {
    if (!deadline) return held.lock();
    static_cast<void>(held.try_lock_until(*deadline));
  });
}

}  // namespace lockstep::scenarios
