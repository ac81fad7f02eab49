#pragma once

#include <vector>

#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// A contender in the queue of a lock, from one list and one read of its znode.
class QueueEntry {
 public:
  QueueEntry(Path path, const Contender& how, bool first)
      : znode(std::move(path)), contender(how), holds(first) {}

  Path znode;
  Contender contender;
  bool holds;  // No contender in front keeps it waiting.
  Data data;   // Null, too, if its ACL forbids us to read it.
  // The czxid is its grant's fencing token without the epoch, the ephemeral_owner its session. All
  // zero if its ACL hides even this.
  Stat stat;
};

// The holders and waiters of a lock, in the order of the queue, without contenders that leave
// during the reads. Empty if the lock does not exist. Takes one round trip for the list, and one
// for every hundred contenders. It survives connection losses. Errors: kNoAuth if the lock cannot
// be listed, those of Session::connected(). Resumes on the session's executor.
Task<Result<std::vector<QueueEntry>>> contenders_of(Session& session, Path lock, Marks marks,
                                                    Context context);

// The contenders among the children of `lock`, in the order of the queue, without their data.
[[nodiscard]] std::vector<QueueEntry> in_queue_order(const Path& lock, Marks marks,
                                                     const Children& children);

}  // namespace lockstep
