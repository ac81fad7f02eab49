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
  kSuspect,   // The server may be about to expire the session, or has: see HeldLock.
  kLost,      // Ended without release: see cause().
  kReleased,  // Given back, or being given back.
};

[[nodiscard]] std::string_view name(LockState state);

// How a grant is kept, besides being held. For recipes.
class GrantOptions {
 public:
  GrantOptions() = default;

  // Whether others may ask for the lock; if so, how long until it is taken from a holder that does
  // not answer (none: for ever).
  bool revocable = false;
  std::optional<Duration> grace;
  // What tells our znode from another of the same name; null if its name is never used again.
  Data own_data;
  LossPolicy loss = LossPolicy::kOwnClock;
};

// A lock that is held. Movable, bound to no thread, on the session's executor only; the session
// outlives it. Destroying it releases in the background. One that was moved from may only be
// assigned to or destroyed; anything else is misuse.
//
//   state        | leaves it when                                  | then
//   kHeld        | the connection is lost, or valid_until() ends   | kSuspect, suspect_token() is
//                | within a quarter of the session timeout         | stopped
//   kSuspect     | the same session is connected and proven again  | kHeld
//   kHeld/Suspect| the session is over (kSessionExpired, ...), its | kLost, lost_token() is stopped
//                | proof is (kContactLost: see LossPolicy), the    |
//                | znode was deleted (kNoNode), the grace period of|
//                | a revocation is over (kRevoked)                 |
//   any but Lost | release()                                       | kReleased; kLost if that shows
//                |                                                 | that it had been lost
//
// By default a grant is lost no later than valid_until(): a holder that stops when lost_token() is
// stopped has stopped before anybody else can hold the lock, also behind a partition, as long as
// clocks drift by less than one part in ContactProof::kDriftParts and the process runs. A grant
// that is lost while its session turns out to live is deleted in the background.
//
// A lock without a fencing token is advice all the same: a process that is paused for longer than
// the session timeout learns of its loss only afterwards. Hand fencing_token() to what it protects,
// and let that refuse smaller ones (M. Kleppmann, "How to do distributed locking", 2016); or put
// check() into the transaction that does what the lock protects.
class HeldLock {
 public:
  HeldLock(Session& session, GrantRecord grant, LockObserver* observer);
  HeldLock(Session& session, GrantRecord&& grant, LockObserver* observer, GrantOptions&& options);

  // Exceeds the token of every earlier exclusive grant of this lock: the znode's czxid, behind the
  // session's fencing epoch (fencing.h). The tokens of shared grants are not ordered among
  // themselves.
  [[nodiscard]] Zxid fencing_token() const;
  [[nodiscard]] const Path& lock() const;
  [[nodiscard]] const Path& znode() const;
  [[nodiscard]] Share share() const;
  // For Transaction::add(): the transaction fails with kNoNode if the lock is lost when ZooKeeper
  // commits it. (Of any version: the name is never used again, and a revocation sets the data.)
  [[nodiscard]] Request check() const;

  [[nodiscard]] LockState state() const;
  // Why the grant ended; none unless kLost.
  [[nodiscard]] std::optional<Error> cause() const;

  // Stopped when the grant is lost, not when it is released. From the first call on the own znode
  // is watched, so that its deletion by somebody else is noticed too: one read.
  [[nodiscard]] std::stop_token lost_token() const;
  // Stopped while the grant is suspect: a token of the suspicion that there is, or else of the next
  // one. When the grant is held again that token stays stopped, and the next call gives another
  // one. Stopped by a loss, too.
  [[nodiscard]] std::stop_token suspect_token() const;
  // Stopped when somebody asks for the lock; only if the lock is revocable.
  [[nodiscard]] std::stop_token revoked_token() const;
  // The server cannot expire the session before then, by the clock of the session's executor, under
  // the assumptions above; none once the grant has ended. As long as the grant is alive its
  // session keeps that proof fresh with a `sync` every sixth of the session timeout
  // (Session::keep_contact): connected, it ends no sooner than in a third of the session timeout.
  // With LossPolicy::kServerNotice only from the first call on.
  [[nodiscard]] std::optional<TimePoint> valid_until() const;

  // Gives the lock back. Idempotent: every call tells how it ended. If the context ends first, the
  // deletion goes on in the background and the outcome is kUnknown.
  Task<ReleaseOutcome> release(Context context = {});

 private:
  class Grant;
  class Guard;
  struct Drop {
    void operator()(Grant* grant) const noexcept;
  };
  [[nodiscard]] Grant& grant() const;

  std::unique_ptr<Grant, Drop> grant_;
};

// Gives the lock back without waiting for it; its observer hears how that ends. The session is the
// one it was granted to.
void release_in_background(Session& session, HeldLock held);

}  // namespace lockstep
