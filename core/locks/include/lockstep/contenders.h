#pragma once

#include <vector>

#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// Somebody in the queue of a lock, as one list and one read of its znode showed it.
class QueueEntry {
 public:
  QueueEntry(Path path, const Contender& how, bool first)
      : znode(std::move(path)), contender(how), holds(first) {}

  Path znode;
  Contender contender;
  bool holds;  // Nobody in front keeps it waiting.
  Data data;   // Null also if its ACL forbids us to read it.
  Stat stat;   // Its czxid is the fencing token of its grant, its ephemeral_owner the session.
};

// Who holds a lock and who waits for it, in the order of the queue; whoever leaves while we look is
// left out. Empty if there is no such lock. Connection losses are ridden out. Errors: kNoAuth if
// the lock cannot be listed, those of Session::connected(). Resumes on the session's executor.
Task<Result<std::vector<QueueEntry>>> contenders_of(Session& session, Path lock, Marks marks,
                                                    Context context);

// The contenders among the children of `lock`, in the order of the queue, without their data.
[[nodiscard]] std::vector<QueueEntry> in_queue_order(const Path& lock, Marks marks,
                                                     const Children& children);

}  // namespace lockstep
