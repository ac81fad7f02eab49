#pragma once

#include <vector>

#include "lockstep/context.h"
#include "lockstep/held_lock.h"
#include "lockstep/task.h"

namespace lockstep {

// Several grants of one session, held together: the locks of a MultiLock, or several leases of a
// Semaphore. Movable; destroying it releases them in the background.
class HeldLocks {
 public:
  explicit HeldLocks(std::vector<HeldLock> held) : held_(std::move(held)) {}

  // In the order in which they were taken: of a MultiLock, that is the order of the paths. Each has
  // its own fencing token and its own lost_token(): the loss of one leaves the others held.
  [[nodiscard]] const std::vector<HeldLock>& each() const& { return held_; }
  // Leaves the grants to the caller, one by one.
  [[nodiscard]] std::vector<HeldLock> each() && { return std::move(held_); }
  // The worst state of all: lost, then released, suspect, held.
  [[nodiscard]] LockState state() const;
  // Releases all of them, the last one first. Returns the worst outcome: unknown before already
  // lost before released. Idempotent. As with HeldLock, this object need not outlive the task.
  Task<ReleaseOutcome> release(const Context& context = {});

 private:
  std::vector<HeldLock> held_;
};

}  // namespace lockstep
