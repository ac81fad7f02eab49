#pragma once

#include <string>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep::program {

// A lock as an observer finds it.
class LockView {
 public:
  enum class Kind {
    kQueue,           // Contenders below the path: all recipes but the next two.
    kSemaphore,       // Leases and waiters, each below their own znode.
    kKazooSemaphore,  // Leases below the path, waiters below its sibling "...-__lock__".
    kZnode,           // The path itself is the holder's ephemeral znode: UnfairMutex.
    kNoLock,          // It has children, but no contenders.
  };

  Kind kind = Kind::kQueue;
  std::vector<QueueEntry> holders;
  std::vector<QueueEntry> waiters;  // The next one first.
};

[[nodiscard]] std::string_view name(LockView::Kind kind);

// Reads the contenders one after the other, so it may miss those that come or go meanwhile. Errors:
// kNoNode if the path does not exist, those of contenders_of(). Resumes on the session's executor.
Task<Result<LockView>> look_at(Session& session, Path lock, Context context);

}  // namespace lockstep::program
