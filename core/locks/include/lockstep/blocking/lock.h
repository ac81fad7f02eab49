#pragma once

#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "lockstep/blocking/owned.h"

namespace lockstep::blocking {

// The common part of the blocking locks with one grant for each caller. Errors, callers, deadlines,
// destruction, forked children: see Owned.
template <class Source, Reentry kReentry = Reentry::kForbidden, class Grant = ClientGrant>
class Lock : public Owned<Source, Grant, kReentry> {
 public:
  // The state of the caller's grant; see HeldLock. Each of these asks the executor's thread, and
  // must not be called on it.
  [[nodiscard]] auto fencing_token() {
    return this->ask("fencing_token()", [](Grant& grant) { return grant.held.fencing_token(); });
  }
  [[nodiscard]] Request check() {
    return this->ask("check()", [](Grant& grant) { return held_in(grant).check(); });
  }
  [[nodiscard]] LockState state() {
    return this->ask("state()", [](Grant& grant) { return held_in(grant).state(); });
  }
  [[nodiscard]] std::optional<Error> cause() {
    return this->ask("cause()", [](Grant& grant) { return held_in(grant).cause(); });
  }
  // Stopped when the lock is lost. Any thread may use the token, at no cost:
  //
  //   const std::unique_lock lock(mutex, 30s);
  //   const std::stop_token lost = mutex.lost_token();
  //   while (!lost.stop_requested() && work_is_left()) do_some_work();
  //
  // A std::stop_callback of it runs on the executor's thread, where nothing may block: it may set a
  // flag, close a socket or wake a condition variable, but not unlock.
  [[nodiscard]] std::stop_token lost_token() {
    return this->ask("lost_token()", [](Grant& grant) { return held_in(grant).lost_token(); });
  }
  // Stopped while the lock may be about to be lost: see HeldLock::suspect_token(). For a holder
  // that wants to finish its work in order before lost_token() is stopped.
  [[nodiscard]] std::stop_token suspect_token() {
    return this->ask("suspect_token()",
                     [](Grant& grant) { return held_in(grant).suspect_token(); });
  }
  // Stopped when another client asks for the lock with revoke(); only if LockOptions::revocable.
  [[nodiscard]] std::stop_token revoked_token() {
    return this->ask("revoked_token()",
                     [](Grant& grant) { return held_in(grant).revoked_token(); });
  }
  [[nodiscard]] std::optional<TimePoint> valid_until() {
    return this->ask("valid_until()", [](Grant& grant) { return held_in(grant).valid_until(); });
  }

 protected:
  Lock(Source source, const Path& lock, Bounds bounds)
      : Owned<Source, Grant, kReentry>(std::move(source), lock, bounds) {}
  ~Lock() = default;

 private:
  // The single grant that the caller's is, or that all levels of it share.
  static const HeldLock& held_in(const Grant& grant) {
    if constexpr (std::is_same_v<decltype(grant.held), HeldLock>) {
      return grant.held;
    } else {
      return grant.held.held();
    }
  }
};

}  // namespace lockstep::blocking
