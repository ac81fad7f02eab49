#pragma once

#include <string>

#include "lockstep/data.h"
#include "lockstep/ok.h"
#include "lockstep/path.h"
#include "lockstep/session.h"

namespace lockstep {

// Deletes a znode of ours in the background, through any number of connection losses and however
// busy the server is, until it is gone or the session is over (an ephemeral goes with its session).
// Returns at once.
// Curator: "guaranteed delete".
void remove_guaranteed(Session& session, Path znode);

// The same for a contender of which only the GUID is known, because the reply to its create never
// came: every child of `parent` whose name begins with `guid`. It syncs before it lists, so that
// a create that was still under way is seen.
void remove_guaranteed_by_guid(Session& session, Path parent, std::string guid);

// The same for a znode whose name others use too: ours belongs to this session and carries
// `own_data`, which nobody else's does.
void remove_guaranteed_if_ours(Session& session, Path znode, Data own_data);
// One attempt of that. Succeeds as well if the znode is gone or is not ours. Errors: those of
// Session::sync, get_data and remove. Resumes on the session's executor.
Task<Result<void>> remove_if_ours(Session& session, Path znode, Data own_data, Context context);

}  // namespace lockstep
