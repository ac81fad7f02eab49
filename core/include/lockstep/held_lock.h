#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "lockstep/context.h"
#include "lockstep/lock_observer.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep {

// What the holder knows of its grant.
enum class LockState : std::uint8_t {
  kHeld,
  kSuspect,   // The connection is gone: the server may be about to expire the session.
  kLost,      // Ended without release: see cause().
  kReleased,  // Given back, or being given back.
};

[[nodiscard]] std::string_view name(LockState state);

// A lock that is held. Movable, bound to no thread, on the session's executor only; the session
// outlives it. Destroying it releases in the background.
//
//   state        | leaves it when                                  | then
//   kHeld        | the connection is lost                          | kSuspect
//   kSuspect     | the same session is connected again             | kHeld
//   kHeld/Suspect| the session is over                             | kLost, lost_token() is stopped
//   any but Lost | release()                                       | kReleased
//
// A lock without a fencing token is advice: a process that is paused for longer than the session
// timeout learns of its loss only afterwards. Hand fencing_token() to whatever the lock protects,
// and let that refuse smaller ones (M. Kleppmann, "How to do distributed locking", 2016).
class HeldLock {
 public:
  HeldLock(Session& session, GrantRecord grant, LockObserver* observer);
  HeldLock(HeldLock&&) noexcept;
  HeldLock& operator=(HeldLock&&) noexcept;
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock();

  // Exceeds the token of every earlier grant of this lock (the znode's czxid).
  [[nodiscard]] Zxid fencing_token() const;
  [[nodiscard]] const Path& znode() const;
  [[nodiscard]] LockState state() const;
  // Why the grant ended; none unless kLost.
  [[nodiscard]] std::optional<Error> cause() const;
  // Stopped when the grant is lost, not when it is released.
  [[nodiscard]] std::stop_token lost_token() const;

  // Gives the lock back. Idempotent: every call tells how it ended. If the context ends first, the
  // deletion goes on in the background and the outcome is kUnknown.
  Task<ReleaseOutcome> release(Context context = {});

 private:
  class Grant;
  std::unique_ptr<Grant> grant_;
};

}  // namespace lockstep
