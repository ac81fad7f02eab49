#pragma once

#include <string>
#include <string_view>

#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// Creates `parent` and its missing ancestors as containers. Errors: as Session::create; connection
// losses are ridden out. Resumes on the session's executor.
Task<Result<void>> ensure_parent(Session& session, Path parent, Context context);

// Takes a place in a queue: creates "<parent>/_c_<guid><mark><number>", ephemeral and sequential,
// exactly once, whatever happens to the connection. The GUID in the name tells our znode from
// everybody else's when the reply to a create is lost (Curator: "withProtection"; ZooKeeper's
// recipes, "Locks", note on recoverable errors). Only a znode that belongs to this very session is
// adopted. A missing parent is created as a container.
// Errors: as Session::create; kNodeExists if the numbers under `parent` have come to their end,
// where they keep no order (keeps_order()): the parent must be removed once it is empty. If it ends
// with an error, or is abandoned, after a create may have been applied, the znode is deleted in the
// background. Resumes on the session's executor; the session outlives the task.
Task<Result<Created>> protected_create(Session& session, Path parent, std::string mark, Data data,
                                       Context context);
// The same, of what outlives the task: a recipe that awaits it has all of that in its frame.
Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Context& context);

}  // namespace lockstep
