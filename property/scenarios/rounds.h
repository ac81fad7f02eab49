#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "attempt.h"
#include "inside.h"
#include "lockstep/error_code.h"  // Must come before any comparison of an Error.
#include "lockstep/held_lock.h"
#include "registry.h"

// The common part of the library's scenarios: rounds of acquires and releases, each end of which is
// judged.
namespace lockstep::scenarios {

using lab::Contender;

inline std::uint32_t index_of(Contender& self) { return self.client().process().index(); }

// Checks a grant before its release.
inline void check_before_release(Contender& self, const Session& session, const HeldLock& held) {
  if (!is_over(session.state()) || held.cause()) return;
  self.oracles().violated("user:loss", "a session is over, and its grant has not been told");
}

// Checks the outcome of a release, and of a second one.
inline void check_release(Contender& self, const Path& znode, std::optional<Error> cause,
                          ReleaseOutcome outcome, ReleaseOutcome again) {
  self.oracles().released_again(znode, outcome, again);
  const bool struck = self.client().process().world().kinds_injected() != 0;
  if (outcome == ReleaseOutcome::kAlreadyLost && cause != Error::kRevoked && !struck) {
    self.oracles().violated("user:loss", "a grant was lost although nothing had happened");
  }
}

// Releases a grant twice: the second time must report the same outcome.
inline Task<void> give_back(Contender& self, Session& session, HeldLock held) {
  check_before_release(self, session, held);
  const ReleaseOutcome outcome = co_await held.release();
  const ReleaseOutcome again = co_await held.release();
  check_release(self, held.znode(), held.cause(), outcome, again);
}

// Stays in the critical section for a while. Leaves when its grant is in doubt, or when this
// request fails because its session has ended. (It does not call lost_token(), which would also
// read the znode: whether holders are notified of a loss in time is judged for every grant.)
inline Task<void> linger(Session& session, const HeldLock& held, Inside& inside) {
  inside.leave_at(held.suspect_token());
  static_cast<void>(co_await session.get_data(held.znode()));
}

inline Task<void> work(Contender& self, Session& session, const HeldLock& held) {
  Inside inside(self, session, held.cause());
  if (lingers(self)) co_await linger(session, held, inside);
}

// One round of a contender, with a session that is alive at its beginning.
using Round = Task<void> (*)(Contender& self, Session& session, Path lock, std::uint32_t role);

template <Round kRound>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (session) co_await kRound(self, **session, lock, index_of(self) + round);
  }
}

// A number less than `many` that the schedule chooses. A role is the same in every execution.
inline std::uint32_t drawn(Contender& self, std::uint32_t many) {
  return self.client().process().world().draw(many);
}

// One round of a contender that draws what it does, so that contenders meet in every combination.
using DrawnRound = Task<void> (*)(Contender& self, Session& session, Path lock);

template <DrawnRound kRound>
Task<void> draw_and_contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    // No search chooses what is drawn before the first request.
    static_cast<void>(co_await (*session)->exists("/"));
    co_await kRound(self, **session, lock);
  }
}

template <Round kRound>
lab::LockUnderTest in_rounds(judge::LockRules rules, fakezk::ReplicaIndex replicas = 1) {
  return contention(&contend<kRound>, lab::LastContender::kImpatient, std::move(rules), replicas);
}

template <DrawnRound kRound>
lab::LockUnderTest in_drawn_rounds(judge::LockRules rules) {
  return contention(&draw_and_contend<kRound>, lab::LastContender::kImpatient, std::move(rules));
}

}  // namespace lockstep::scenarios
