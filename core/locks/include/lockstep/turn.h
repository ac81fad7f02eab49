#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"
#include "lockstep/watch.h"

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
  // A grant of the same holder, which does not keep it waiting; null if it has none.
  Path own = Path(Text());
  // Whether a contender may take over without another list: see wait_in_queue. Only for a queue
  // whose contenders are all exclusive and numbered by the server. (A downgrade of a read/write
  // lock makes a lower number appear; a user's mark may mean anything.)
  bool takes_over = false;
};

// The proof that it is a contender's turn.
class TurnProof {
 public:
  explicit TurnProof(Zxid list) : evidence(list) {}
  TurnProof(Zxid list, Path deleted, Watch left)
      : evidence(list), after(std::move(deleted)), own(std::move(left)) {}
  // For recipes that never take over.
  operator Zxid() const { return evidence; }  // NOLINT(google-explicit-constructor)

  Zxid evidence;             // The pzxid of the list that showed the contender first, or second.
  Path after{Text()};        // If second: the znode in front, which has been deleted since.
  std::optional<Watch> own;  // If second: a watch on its own znode, which has not fired.
};

// The contenders in front that a contender waits for.
enum class Patience : std::uint8_t {
  kWaits,         // All of them.
  kWaitsToShare,  // Shared ones only: kConflict if an exclusive one is in front.
  kDoesNotWait,   // For none: the outcome is kConflict if any is in front.
};

// Steps 2 to 5 of ZooKeeper's lock recipe: waits until no znode in front keeps the contender
// `ours`, a child of the queue's lock, waiting. It watches only the nearest znode in front that
// excludes ours: a watch on the list would wake the whole herd. `first` is a list of the queue that
// was asked for when `ours` was created, if there is one. It rides out transient errors. Errors:
// kNoNode if `ours`, or the queue's `own`, is not in the queue (any more), kConflict as its
// patience says, those of Session::connected(). Resumes on the session's executor. All arguments
// outlive the task: the recipe that awaits it has them in its frame, and a queue may be long.
//
// If the queue takes over, a contender that the last list showed second holds as soon as it hears
// that the first one is deleted, without a round trip, if all of these hold:
//   - the list, the watches on both znodes and the event belong to one connection. After a
//     reconnect, events come grouped, and in no order of the transactions;
//   - the event is the deletion, not a change of the data, which may be a revocation;
//   - our znode was there, belonged to this session, and has had no event until then: one
//     connection delivers events in the order of the transactions, so that it outlived the other;
//   - no client has asked for it by then (revoke()): the grant would never hear of that;
//   - the other znode belonged to another session: the end of ours deletes both at once;
//   - the session is proven to be alive (Session::valid_until): a process that has slept finds
//     events of long ago in its queue.
// Otherwise it lists again.
Task<Result<TurnProof>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                      const Context& context,
                                      std::optional<Result<Children>> first = std::nullopt);

// Waits until a znode changes or is deleted; returns at once if it is not there. It watches the
// znode with a read that leaves no watch if it is gone. Where the ACL forbids that, the server
// tells us nothing of the znode (since 3.8.4, CVE-2024-23944): then any change of its parent's
// children counts, a herd. It rides out connection losses. Errors: those of Session::connected().
// Resumes on the session's executor.
Task<Result<void>> change_of(Session& session, Path znode, Context context);

}  // namespace lockstep
