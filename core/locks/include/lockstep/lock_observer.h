#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/loss_policy.h"
#include "lockstep/path.h"
#include "lockstep/sequence.h"
#include "lockstep/stat.h"

namespace lockstep {

// The outcome of a release.
enum class ReleaseOutcome : std::uint8_t {
  kReleased,     // The znode is deleted, and the lock was held until then.
  kAlreadyLost,  // The grant had ended before.
  // Time was up first, and the znode is being deleted in the background; or the server refuses its
  // deletion (SessionObserver::not_cleaned_up), and it stays until the session ends.
  kUnknown,
};

[[nodiscard]] std::string_view name(ReleaseOutcome outcome);

// One grant of a lock, with all that an outside judge needs.
class GrantRecord {
 public:
  // `czxid` becomes the token, too: a HeldLock puts its session's fencing epoch in front of it. A
  // recipe without HeldLocks does so itself, with Session::fencing_token().
  GrantRecord(SessionId owner, Path lock_path, Path own_znode, Zxid czxid, Zxid seen)
      : session(owner),
        lock(std::move(lock_path)),
        znode(std::move(own_znode)),
        token(czxid),
        created(czxid),
        evidence(seen) {}
  SessionId session;
  Path lock;
  Path znode;
  Zxid token;     // Made of the znode's czxid (fencing.h); after a downgrade, its writer's.
  Zxid created;   // The znode's czxid.
  Zxid evidence;  // The queue's membership that proves the grant (the list's pzxid).
  // If not null, that list showed this znode as the only one in front, and the grant rests on its
  // deletion since then. A watch event does not carry the zxid of its transaction.
  Path after = Path(Text());
  Share share = Share::kExclusive;
  // The rule by which its holder is notified of a loss. A HeldLock sets its own; a grant that is
  // kept by other means promises no more than to forward the server's notice.
  LossPolicy loss = LossPolicy::kServerNotice;
  // After an upgrade or a downgrade, the znode of the previous grant; else null.
  Path continues = Path(Text());
};

// The purpose of one part of a lock that has several.
enum class LockPart : std::uint8_t {
  kTurns,   // The queue of the waiters. A grant of it is a turn, not the lock.
  kGrants,  // the grants of the lock
};

// Observes locks: for metrics, tracing and the oracles of a hunt. Called on the session's executor,
// between two steps of the recipe; must not wait, and must not throw, because destructors call it
// too. The observer outlives the locks and grants that it observes.
class LockObserver {
 public:
  LockObserver() = default;
  LockObserver(const LockObserver&) = delete;
  LockObserver& operator=(const LockObserver&) = delete;
  virtual ~LockObserver() = default;

  // From now on, calls about `part`, as a lock or as a znode, concern the lock that the user knows
  // as `lock`. Called at the beginning of each acquire of a recipe whose znodes are not simply
  // below the given path: a semaphore's mutex and its leases; an UnfairMutex, whose path is the
  // znode itself.
  virtual void part_of(const Path& /*part*/, const Path& /*lock*/, LockPart) {}
  // An acquire of a recipe begins on a session, or has ended, with any result: once each, also when
  // its task is destroyed, which no other call reports. An inner acquire (a semaphore's mutex, the
  // locks of a MultiLock) is reported separately. The waiters of a CohortMutex are not reported,
  // only the acquires of the place that they share.
  virtual void acquire_begins(SessionId, const Path& /*lock*/) {}
  virtual void acquire_ends(SessionId, const Path& /*lock*/) {}
  // A contender's znode has been created: its place in the queue is fixed from now on. granted() or
  // place_given_up() follows; both, if an exception such as std::bad_alloc ends the grant as it is
  // made.
  virtual void place_reserved(SessionId, const Path& /*lock*/, const Path& /*znode*/) {}
  // The numbers of the znodes below `lock` (a semaphore's leases have their own) are about to end:
  // `number` is one of the last 2^20. After them every acquire ends with kNodeExists, until `lock`
  // is removed, which is possible while it is empty. Called for each znode with such a number.
  virtual void numbers_run_out(const Path& /*lock*/, std::int32_t /*number*/) {}
  // The contender leaves the queue without a grant, or its place has ended with its session.
  // gave_up() may follow.
  virtual void place_given_up(SessionId, const Path& /*znode*/) {}
  // The contender waits for `ahead` others. Called after every look at the queue that
  // shows somebody in front.
  virtual void waiting(SessionId, const Path& /*znode*/, std::size_t /*ahead*/) {}
  // A child of the lock is not a contender. It is ignored, but below the leases of a semaphore it
  // takes a lease. Called at the beginning of a wait.
  virtual void foreign_child(const Path& /*lock*/, std::string_view /*name*/) {}
  virtual void granted(const GrantRecord&) {}
  // An acquire has ended without a grant.
  virtual void gave_up(SessionId, const Path& /*lock*/, Error) {}
  // An acquire whose session has expired is repeated on the next one: see Rejoining.
  virtual void rejoining(const Path& /*lock*/) {}
  // The grant goes on with another contender of its session, to which its holder has handed it
  // (CohortMutex). `holder` counts the holders: 2 is the second one.
  virtual void handed_on(const GrantRecord&, std::uint32_t /*holder*/) {}
  // A client asks the holder to release the lock.
  virtual void revocation_asked(const GrantRecord&) {}
  // suspected: the holder can no longer be certain that it holds the lock. held_again: it is
  // certain again. They alternate; a suspect grant can also be lost or released.
  virtual void suspected(const GrantRecord&) {}
  virtual void held_again(const GrantRecord&) {}
  // A grant ended without a release. At most once, and never after released(). Called before
  // released() also if only the release has shown the loss.
  virtual void lost(const GrantRecord&, Error /*cause*/) {}
  // The release begins: it causes the changes of the znode that follow.
  virtual void releasing(const GrantRecord&) {}
  virtual void released(const GrantRecord&, ReleaseOutcome) {}
  // A grant was destroyed before it was released; its znode is being deleted in the background.
  virtual void dropped(const GrantRecord&) {}
};

}  // namespace lockstep
