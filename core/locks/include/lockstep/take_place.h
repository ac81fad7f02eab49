#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lockstep/internal/cleanup.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// Creates `parent` and its missing ancestors as containers, the session's chroot included. Errors:
// as Session::create; kNoNode if others delete what it has created again and again, more often than
// there are levels. It rides out connection losses and resumes on the session's executor.
Task<Result<void>> ensure_parent(Session& session, Path parent, Context context, Acl acl = {});

// Step 1 of ZooKeeper's lock recipe: takes a place in a queue. It creates
// "<parent>/_c_<guid><mark><number>", ephemeral and sequential, exactly once, whatever happens to
// the connection. The GUID in the name tells our znode from all others when the reply to a create
// is lost (Curator: "withProtection"; ZooKeeper's recipes, "Locks", note on recoverable errors);
// only a znode of this very session is adopted. It creates a missing parent as a container. The ACL
// is the znode's, and that of what is created above it. Errors: as Session::create; kNodeExists if
// the sequence numbers under `parent` are used up and no longer keep the order (keeps_order()): the
// parent must be removed once it is empty. If the task ends with an error, or is destroyed, after a
// create may have been applied, the znode is deleted in the background. Resumes on the session's
// executor. The session and all arguments outlive the task: the recipe that awaits it has them in
// its frame.
Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Acl& acl, const Context& context);

// Tells the observer, unless it is null, that the queue of `znode` will soon be out of numbers.
void warn_of_numbers(LockObserver* observer, const Path& lock, const Path& znode);

// A place in a queue, and the list of the queue that was requested together with it. There is no
// list if the create had to be repeated.
class Arrival {
 public:
  Arrival(Path taken, Zxid czxid, std::optional<Result<Children>> children,
          internal::CleanupEnd cleanup_end = internal::CleanupEnd())
      : znode(std::move(taken)),
        created(czxid),
        list(std::move(children)),
        end(std::move(cleanup_end)) {}
  Path znode;
  Zxid created;  // The znode's czxid.
  std::optional<Result<Children>> list;
  internal::CleanupEnd end;  // Goes with the duty to delete the znode.
};

// Steps 1 and 2 in one round trip: takes a place as take_place does, and sends the first list of
// the queue without waiting for the create. The server executes both in order, so that the list
// shows the new znode. If the create has to be repeated, there is no list, and wait_in_queue asks
// for one. `end` goes with the duty to delete what it may have created: into the Arrival, or into
// the background.
Task<Result<Arrival>> take_place_and_list(Session& session, const Path& parent,
                                          std::string_view mark, const Data& data, const Acl& acl,
                                          const Context& context,
                                          internal::CleanupEnd end = internal::CleanupEnd());

}  // namespace lockstep
