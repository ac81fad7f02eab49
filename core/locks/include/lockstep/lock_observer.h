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

// How giving a lock back has ended.
enum class ReleaseOutcome : std::uint8_t {
  kReleased,     // Our znode is gone, and we held it until then.
  kAlreadyLost,  // The grant had ended before.
  kUnknown,      // Our time was up first; the znode is being deleted in the background.
};

[[nodiscard]] std::string_view name(ReleaseOutcome outcome);

// One grant of a lock, as it can be judged from outside.
class GrantRecord {
 public:
  GrantRecord(SessionId owner, Path lock_path, Path own_znode, Zxid fencing_token, Zxid seen)
      : session(owner),
        lock(std::move(lock_path)),
        znode(std::move(own_znode)),
        token(fencing_token),
        created(fencing_token),
        evidence(seen) {}
  SessionId session;
  Path lock;
  Path znode;
  Zxid token;     // Made of the znode's czxid (fencing.h); after a downgrade, its writer's.
  Zxid created;   // The znode's czxid.
  Zxid evidence;  // The membership of the queue on which the grant rests (the list's pzxid).
  Share share = Share::kExclusive;
  // By which rule its holder is told of a loss. A HeldLock says how it is kept; whoever keeps a
  // grant by other means promises no more than to pass on what the server says.
  LossPolicy loss = LossPolicy::kServerNotice;
  // The znode of the grant that this one goes on from, after an upgrade or a downgrade; else null.
  Path continues = Path(Text());
};

// What a part of a lock is for, if the lock is made of several.
enum class LockPart : std::uint8_t {
  kTurns,   // Who waits for the lock has its place here. What is granted here is a turn, no lock.
  kGrants,  // The grants of the lock lie here.
};

// Hears what happens to the locks that are given it: for metrics, tracing and the oracles of a
// hunt. Called on the session's executor, between two steps of the recipe; must not wait, and not
// throw: destructors call it too. The observer outlives the locks and grants that it observes.
class LockObserver {
 public:
  LockObserver() = default;
  LockObserver(const LockObserver&) = delete;
  LockObserver& operator=(const LockObserver&) = delete;
  virtual ~LockObserver() = default;

  // What is told of `part` from now on, as a lock or as a znode, belongs to the lock that the user
  // knows as `lock`. Told at the beginning of each acquire of a recipe whose znodes do not simply
  // lie under the path that it was given: a semaphore's mutex and its leases; an UnfairMutex, whose
  // path is the znode itself.
  virtual void part_of(const Path& /*part*/, const Path& /*lock*/, LockPart) {}
  // An acquire of a recipe begins on a session, and has ended, in whichever way: once each, also
  // when its task is destroyed, which nothing else tells. One acquire inside another (a semaphore's
  // mutex, the locks of a MultiLock) tells of itself.
  virtual void acquire_begins(SessionId, const Path& /*lock*/) {}
  virtual void acquire_ends(SessionId, const Path& /*lock*/) {}
  // A contender's znode has been created: from here on its place in the queue is fixed.
  virtual void place_reserved(SessionId, const Path& /*lock*/, const Path& /*znode*/) {}
  // It leaves the queue without a grant, although its session lives; gave_up() may follow. (With
  // the session, all its places go.)
  virtual void place_given_up(SessionId, const Path& /*znode*/) {}
  // It waits behind `ahead` others. Told after every look at the queue: its position may be new.
  virtual void waiting(SessionId, const Path& /*znode*/, std::size_t /*ahead*/) {}
  // A child of the lock is no contender: it is ignored. Told at the beginning of a wait.
  virtual void foreign_child(const Path& /*lock*/, std::string_view /*name*/) {}
  virtual void granted(const GrantRecord&) {}
  // An acquire has ended without a grant.
  virtual void gave_up(SessionId, const Path& /*lock*/, Error) {}
  // An acquire whose session has expired is made again on the next one: see Rejoining.
  virtual void rejoining(const Path& /*lock*/) {}
  // Somebody asks the holder to give the lock up.
  virtual void revocation_asked(const GrantRecord&) {}
  // The holder can no longer be sure that it holds, for as long as the grant is suspect; and is
  // again. By turns; a suspect grant can also be lost or released.
  virtual void suspected(const GrantRecord&) {}
  virtual void held_again(const GrantRecord&) {}
  // A grant ended although nobody released it. Once at most, and never after released(). Told
  // before released() also if only the release has shown it.
  virtual void lost(const GrantRecord&, Error /*cause*/) {}
  // The holder gives it back, from here on: what happens to the znode now is the release's doing.
  virtual void releasing(const GrantRecord&) {}
  virtual void released(const GrantRecord&, ReleaseOutcome) {}
  // A grant was destroyed before it was released; its znode is being deleted in the background.
  virtual void dropped(const GrantRecord&) {}
};

}  // namespace lockstep
