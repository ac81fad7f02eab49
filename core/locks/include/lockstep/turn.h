#pragma once

#include <string_view>
#include <utility>

#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// The queue that a contender stands in. The session and the observer outlive the wait.
class LockQueue {
 public:
  LockQueue(Session& of, Path lock_path, Marks contenders, LockObserver* told)
      : session(of), lock(std::move(lock_path)), marks(contenders), observer(told) {}

  Session& session;
  Path lock;
  Marks marks;
  LockObserver* observer;
  Path own = Path(Text());  // Another znode of the same holder, which does not keep it waiting.
};

// The contenders in front that a contender waits for.
enum class Patience : std::uint8_t {
  kWaits,         // All of them.
  kWaitsToShare,  // Shared ones only: kConflict if an exclusive one is in front.
  kDoesNotWait,   // For none: the outcome is kConflict if any is in front.
};

// Steps 2 to 5 of ZooKeeper's lock recipe: waits until no znode in front keeps the contender
// `ours`, a child of the queue's lock, waiting. It watches only the nearest znode in front that
// excludes ours: a watch on the list would wake the whole herd. Resolves with the evidence: the
// pzxid of the list that showed it first. It rides out transient errors. Errors: kNoNode if `ours`
// is not in the queue (any more), kConflict as its patience says, those of Session::connected().
// Resumes on the session's executor. All arguments outlive the task: the recipe that awaits it has
// them in its frame, and a queue may be long.
Task<Result<Zxid>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                 const Context& context);

// Waits until a znode changes or is deleted; returns at once if it is not there. It watches the
// znode with a read that leaves no watch if it is gone. Where the ACL forbids that, the server
// tells us nothing of the znode (since 3.8.4, CVE-2024-23944): then any change of its parent's
// children counts, a herd. It rides out connection losses. Errors: those of Session::connected().
// Resumes on the session's executor.
Task<Result<void>> change_of(Session& session, Path znode, Context context);

}  // namespace lockstep
