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

// How a recipe takes and keeps its lock, besides the lock's path; the same options for every
// recipe. The defaults give a plain lock. An acquire whose recipe does not support an option ends
// with kBadArguments before it sends anything.
class LockOptions {
 public:
  LockOptions() = default;
  explicit LockOptions(Data own) : data(std::move(own)) {}

  // Stored in the contender's znode for observers of the queue: its host, its process, anything.
  Data data;
  // For the contender's znode and its missing parents; Acl() means the session's default
  // (SessionOptions::default_acl, which explains the necessary permissions).
  Acl acl;
  // The kinds of contenders in the queue: our own (kLockMark, which is exclusive), and those of
  // other libraries (kazoo's "__lock__"). The text outlives the lock. For FairMutex and the recipes
  // built on it: RecursiveMutex, CohortMutex, LeaderElection, LeaderLatch, MultiLock. The other
  // recipes have their own marks and support no others.
  Marks marks = kMutexMarks;
  // Whether other clients may ask the holder to release the lock: see HeldLock::revoked_token() and
  // revoke(). Not for UnfairMutex, whose holder is identified by the data that a request
  // overwrites.
  bool revocable = false;
  // How long a holder that was asked may go on before it loses the lock; none: without a limit.
  std::optional<Duration> grace;
  // When the grant is lost although the server has not ended the session.
  LossPolicy loss = LossPolicy::kOwnClock;

  // kBadArguments if the grace period is not positive, or is set for a lock that is not revocable;
  // if our own mark is missing, or is shared.
  [[nodiscard]] Result<void> valid() const {
    if (grace && (!revocable || *grace <= Duration::zero())) return failure(Error::kBadArguments);
    bool has_ours = false;
    for (const Mark& mark : marks) {
      if (mark.text != kLockMark) continue;
      if (mark.share != Share::kExclusive) return failure(Error::kBadArguments);
      has_ours = true;
    }
    if (!has_ours) return failure(Error::kBadArguments);
    return {};
  }
  // The same for a recipe that supports only its own marks.
  [[nodiscard]] Result<void> valid_without_marks() const {
    if (marks.size() != 1) return failure(Error::kBadArguments);
    return valid();
  }
  // The options that concern the grant.
  [[nodiscard]] GrantOptions of_grant() const {
    GrantOptions kept;
    kept.revocable = revocable;
    kept.grace = grace;
    kept.loss = loss;
    return kept;
  }
};

}  // namespace lockstep
