#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/error_code.h"  // Must come before any comparison of an Error.
#include "lockstep/lab/contender.h"
#include "lockstep/lab/lane.h"

namespace lockstep::scenarios {

// Whether an acquire, or the change of a grant, may fail with `error` after these faults. A lost
// connection is no reason to give up; every other error needs a cause.
inline bool may_end_with(Error error, bool has_deadline, fakezk::FaultKinds struck) {
  using fakezk::FaultKind;
  const auto after = [struck](FaultKind kind) { return (struck & bit(kind)) != 0; };
  if (error == Error::kTimedOut) return has_deadline;
  if (error == Error::kNoNode) {
    return after(FaultKind::kForeignDelete) || after(FaultKind::kForgottenWrites);
  }
  if (error == Error::kNodeExists) return after(FaultKind::kSequenceOverflow);
  if (error == Error::kContactLost)
    return struck != 0;  // The grant's session may have lost contact.
  return session_is_over(error) && struck != 0;
}

// An attempt of a contender, or of one of its users, to acquire a lock or to change its grant. The
// oracles know of it until it ends, at the latest with this object.
class Attempt {
 public:
  Attempt(lab::Lane self, SessionId session, const Context& patience = Context())
      : self_(self), session_(session), has_deadline_(patience.deadline().has_value()) {
    oracles().acquiring(session_, self_.contender().client().process().index(), patience.deadline(),
                        self_.user());
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() { end(); }

  // It has ended with that result. An error needs a cause.
  template <class T>
  void resolved(const Result<T>& result) {
    end(result ? std::nullopt : std::optional(result.error()));
    if (result || may_end_with(result.error(), has_deadline_, struck())) return;
    const std::string error(name(result.error()));
    oracles().violated("user:reason", "an acquire ended without a cause: " + error);
  }

  // The same for an attempt that does not wait for others. One of them may have been in its way.
  template <class T>
  void tried(const Result<T>& result) {
    if (oracles().has_waited(session_)) {
      oracles().violated("user:waits", "an attempt that must not wait for others has waited");
    }
    resolved_or_met(result, judge::LockOracles::Others::kAny);
  }

  // The same for an upgrade, which waits for readers. Another writer may have been in its way.
  template <class T>
  void upgraded(const Result<T>& result) {
    resolved_or_met(result, judge::LockOracles::Others::kExclusive);
  }

  // It has ended. The caller judges the result.
  void end(std::optional<Error> failure = std::nullopt) {
    if (!std::exchange(ended_, true)) oracles().resolved(session_, self_.user(), failure);
  }

 private:
  // Faults leave znodes of clients that have gone.
  template <class T>
  void resolved_or_met(const Result<T>& result, judge::LockOracles::Others others) {
    const bool conflict = !result && result.error() == Error::kConflict;
    if (!conflict) return resolved(result);
    if (struck() == 0 && !oracles().has_met(session_, self_.user(), others)) {
      oracles().violated("user:conflict", "a conflict was reported, and nobody was in the way");
    }
    end();
  }
  [[nodiscard]] judge::LockOracles& oracles() const { return self_.contender().oracles(); }
  [[nodiscard]] fakezk::FaultKinds struck() const {
    return self_.contender().client().process().world().kinds_injected();
  }

  lab::Lane self_;
  SessionId session_;
  bool has_deadline_;
  bool ended_ = false;
};

}  // namespace lockstep::scenarios
