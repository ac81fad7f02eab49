#pragma once

#include <optional>

#include "lockstep/acl.h"
#include "lockstep/clock.h"
#include "lockstep/data.h"
#include "lockstep/held_lock.h"
#include "lockstep/loss_policy.h"
#include "lockstep/result.h"
#include "lockstep/sequence.h"

namespace lockstep {

// How a recipe takes its lock and keeps it, besides where the lock is; the same for every recipe.
// The defaults are a plain lock's. An acquire whose recipe cannot do what is asked ends with
// kBadArguments before it sends anything.
class LockOptions {
 public:
  LockOptions() = default;
  explicit LockOptions(Data own) : data(std::move(own)) {}

  // Kept in the contender's znode for those who look at the queue: its host, its process, anything.
  Data data;
  // For the contender's znode and for the parents that it needs; Acl(): the session's
  // default (SessionOptions::default_acl, which says what has to be allowed to whom).
  Acl acl;
  // Who else may stand in the queue: our own mark, and those of other libraries (kazoo's
  // "__lock__"). The text outlives the lock. For FairMutex and what is made of it: RecursiveMutex,
  // LeaderElection, MultiLock. The other recipes have marks of their own and take no others.
  Marks marks = kMutexMarks;
  // Whether others may ask the holder to give the lock up: see HeldLock::revoked_token() and
  // revoke(). Not for UnfairMutex, whose holder is known by the data that a request overwrites.
  bool revocable = false;
  // How long a holder that was asked may go on before the lock is taken from it; none: for ever.
  std::optional<Duration> grace;
  // When the grant is lost whose session the server has not called over.
  LossPolicy loss = LossPolicy::kOwnClock;

  // kBadArguments if the grace period is not positive, or is set for a lock that is not revocable.
  [[nodiscard]] Result<void> valid() const {
    if (grace && (!revocable || *grace <= Duration::zero())) return failure(Error::kBadArguments);
    return {};
  }
  // The same for a recipe that takes no other marks than its own.
  [[nodiscard]] Result<void> valid_without_marks() const {
    const bool usual = marks.size() == 1 && marks.front().text == kLockMark;
    if (!usual) return failure(Error::kBadArguments);
    return valid();
  }
  // What of it the grant needs.
  [[nodiscard]] GrantOptions of_grant() const {
    GrantOptions kept;
    kept.revocable = revocable;
    kept.grace = grace;
    kept.loss = loss;
    return kept;
  }
};

}  // namespace lockstep
