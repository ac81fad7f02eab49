#pragma once

#include <optional>
#include <stop_token>

#include "lockstep/context.h"
#include "lockstep/internal/ref.h"
#include "lockstep/lock_observer.h"
#include "lockstep/session.h"
#include "lockstep/task.h"
#include "lockstep/watch.h"

namespace lockstep {

// The state of a grant, as far as its holder knows.
enum class LockState : std::uint8_t {
  kHeld,
  kSuspect,   // The server may be about to expire the session, or has: see HeldLock.
  kLost,      // Ended without release: see cause().
  kReleased,  // Released, or being released.
};

[[nodiscard]] std::string_view name(LockState state);

// Options of a grant, set by its recipe.
class GrantOptions {
 public:
  GrantOptions() = default;

  // Whether other clients may ask for the lock, and how long a holder that was asked may then keep
  // it (none: without a limit).
  bool revocable = false;
  std::optional<Duration> grace;
  // Distinguishes our znode from another one of the same name; null if the name is never reused.
  Data own_data;
  LossPolicy loss = LossPolicy::kOwnClock;
  // A watch on the grant's znode, if its recipe has left one that has not fired.
  std::optional<Watch> watch;
};

// A grant of a lock. Movable, bound to no thread, on the session's executor only; the session
// outlives it. Destroying it releases in the background, unless a task of release() does that. A
// moved-from object may only be assigned to or destroyed; anything else is misuse.
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
// stopped has stopped before another contender can hold the lock, also in a partition, as long as
// clocks drift by less than one part in ContactProof::kDriftParts and the process runs. If a grant
// is lost but its session turns out to live, its znode is deleted in the background.
//
// A lock without a fencing token is only advisory: a process that is paused for longer than the
// session timeout learns of its loss afterwards. Pass fencing_token() to the protected resource,
// and let that refuse smaller tokens (M. Kleppmann, "How to do distributed locking", 2016); or add
// check() to the transaction that does the protected work.
class HeldLock {
 public:
  HeldLock(Session& session, GrantRecord grant, LockObserver* observer);
  HeldLock(Session& session, GrantRecord&& grant, LockObserver* observer, GrantOptions&& options);
  HeldLock(HeldLock&& other) noexcept;
  HeldLock& operator=(HeldLock&& other) noexcept;
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock();

  // Exceeds the token of every earlier exclusive grant of this lock: the session's fencing epoch,
  // followed by the znode's czxid (fencing.h). The tokens of shared grants have no order among
  // themselves.
  [[nodiscard]] Zxid fencing_token() const;
  [[nodiscard]] const Path& lock() const;
  [[nodiscard]] const Path& znode() const;
  [[nodiscard]] Share share() const;
  // For Transaction::add(): the transaction fails with kNoNode if the lock is lost when ZooKeeper
  // commits it. (It accepts any version: a name is never reused, and a revocation sets the data.)
  // Misuse with an UnfairMutex, all of whose holders have a znode of the same name.
  [[nodiscard]] Request check() const;

  [[nodiscard]] LockState state() const;
  // Why the grant has ended; none unless kLost.
  [[nodiscard]] std::optional<Error> cause() const;

  // Stopped when the grant is lost, not when it is released. The first call sets a watch on the
  // grant's znode, so that a deletion by another client is noticed too; it costs one read.
  [[nodiscard]] std::stop_token lost_token() const;
  // Stopped while the grant is suspect: the token of the current suspicion, or else of the next
  // one. When the grant is held again, that token stays stopped, and the next call returns another
  // one. A loss stops it, too.
  [[nodiscard]] std::stop_token suspect_token() const;
  // Stopped when a client asks for the lock; only if the lock is revocable.
  [[nodiscard]] std::stop_token revoked_token() const;
  // The server cannot expire the session before this time, by the clock of the session's executor,
  // under the assumptions above; none once the grant has ended. While the grant is alive, its
  // session keeps that proof fresh with a `sync` every sixth of the session timeout
  // (ContactKeeper): if connected, the proof lasts for at least a third of the session
  // timeout from now. With LossPolicy::kServerNotice it does so only from the first call on.
  [[nodiscard]] std::optional<TimePoint> valid_until() const;

  // For a recipe whose contenders pass a grant on among themselves: tells the observer that the
  // `holder`-th of them has it from now on.
  void handed_on(std::uint32_t holder) const;

  // Releases the lock. Idempotent: every call returns the same outcome, and waits for an earlier
  // one that is under way. If the context ends first, the deletion goes on, in the background or in
  // that earlier call, and the outcome is kUnknown. The outcome is also kUnknown if the server
  // refuses the deletion, for example because of the parent's ACL: the lock then stays taken until
  // the session ends. The session outlives the task; this object need not: the task owns the grant,
  // too.
  Task<ReleaseOutcome> release(Context context = {});

 private:
  friend class ReadWriteLock;
  class Grant;
  class Guard;
  [[nodiscard]] Grant& grant() const;
  // Releases the lock if the znode's data have this version; if not, kBadVersion: the grant is no
  // longer observed, its znode stays, and another release() has to follow.
  Task<Result<void>> release_version(std::int32_t version) const;

  internal::Ref<Grant> grant_;
};

// A release that goes on by itself. Waiting for it is optional, and so is keeping this: dropping it
// changes nothing. Copies share one outcome. On the session's executor only.
class PendingRelease {
 public:
  PendingRelease(const PendingRelease& other);
  PendingRelease& operator=(const PendingRelease& other);
  ~PendingRelease();

  // None as long as the release is under way.
  [[nodiscard]] std::optional<ReleaseOutcome> outcome() const;
  // Waits for the outcome: that of HeldLock::release() without a deadline. The release goes on if
  // the context ends first (kTimedOut, kCancelled), or if the task is destroyed. A connection loss
  // delays the outcome until the session is connected again; if the session turns out to be over,
  // it is kAlreadyLost; if the session is destroyed first, kUnknown. Resumes on the session's
  // executor.
  [[nodiscard]] Task<Result<ReleaseOutcome>> wait(Context context = {}) const;

 private:
  class State;
  class Ending;
  explicit PendingRelease(internal::Ref<State> state);
  static Task<void> release(HeldLock held, Ending ending);
  static Task<Result<ReleaseOutcome>> wait_for(internal::Ref<State> state, Context context);
  friend PendingRelease release_in_background(Session& session, HeldLock held);

  internal::Ref<State> state_;
};

// Releases the lock without waiting: the deletion is sent before this returns. `session` is the
// session of the grant.
PendingRelease release_in_background(Session& session, HeldLock held);

}  // namespace lockstep
