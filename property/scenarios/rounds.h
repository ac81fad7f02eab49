#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "inside.h"
#include "lockstep/error_code.h"  // Must come before any comparison of an Error.
#include "lockstep/held_lock.h"
#include "registry.h"

// The common part of the library's scenarios: rounds of acquires and releases, each end of which is
// judged.
namespace lockstep::scenarios {

using lab::Contender;

inline std::uint32_t index_of(Contender& self) { return self.client().process().index(); }

// Whether an acquire, or the change of a grant, may fail with `error` after these faults. A lost
// connection is no reason to give up; every other error needs a cause.
inline bool may_end_with(Error error, const Context& patience, fakezk::FaultKinds struck) {
  using fakezk::FaultKind;
  const auto after = [struck](FaultKind kind) { return (struck & bit(kind)) != 0; };
  if (error == Error::kTimedOut) return patience.deadline().has_value();
  if (error == Error::kNoNode) {
    return after(FaultKind::kForeignDelete) || after(FaultKind::kForgottenWrites);
  }
  if (error == Error::kNodeExists) return after(FaultKind::kSequenceOverflow);
  if (error == Error::kContactLost)
    return struck != 0;  // The grant's session may have lost contact.
  return session_is_over(error) && struck != 0;
}

// While it lives, the oracles know that a contender acquires, or changes its grant. Its patience
// outlives it.
class Acquiring {
 public:
  Acquiring(Contender& self, const Session& session, const Context& patience)
      : self_(self), id_(session.id()), patience_(patience) {
    self_.oracles().acquiring(id_, index_of(self_), patience_.deadline());
  }
  Acquiring(const Acquiring&) = delete;
  Acquiring& operator=(const Acquiring&) = delete;
  ~Acquiring() { resolve(); }
  template <class T>
  void resolved(const Result<T>& result) {
    resolve();
    if (result) return;
    const fakezk::FaultKinds struck = self_.client().process().world().kinds_injected();
    if (may_end_with(result.error(), patience_, struck)) return;
    const std::string error(name(result.error()));
    self_.oracles().violated("user:reason", "an acquire ended without a cause: " + error);
  }

  // The same for an attempt that does not wait for others.
  template <class T>
  void tried(const Result<T>& result) {
    const bool conflict = !result && result.error() == Error::kConflict;
    if (conflict) return resolve();
    resolved(result);
  }

  // It has ended. The caller judges the result.
  void resolve() {
    if (!std::exchange(resolved_, true)) self_.oracles().resolved(id_);
  }

 private:
  Contender& self_;
  SessionId id_;
  const Context& patience_;
  bool resolved_ = false;
};

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

template <Round kRound>
lab::LockUnderTest in_rounds(judge::LockRules rules, fakezk::ReplicaIndex replicas = 1) {
  return contention(&contend<kRound>, lab::LastContender::kImpatient, std::move(rules), replicas);
}

}  // namespace lockstep::scenarios
