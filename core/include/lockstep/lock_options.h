#pragma once

#include <optional>

#include "lockstep/acl.h"
#include "lockstep/clock.h"
#include "lockstep/data.h"
#include "lockstep/loss_policy.h"
#include "lockstep/result.h"
#include "lockstep/sequence.h"

namespace lockstep {

// What a contender can be told besides where its queue is. The defaults are a plain lock's.
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
  // "__lock__"). The text outlives the lock.
  Marks marks = kMutexMarks;
  // Whether others may ask the holder to give the lock up: see HeldLock::revoked_token().
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
};

}  // namespace lockstep
