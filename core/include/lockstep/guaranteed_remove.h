#pragma once

#include <string>

#include "lockstep/path.h"
#include "lockstep/session.h"

namespace lockstep {

// Deletes a znode of ours in the background, through any number of connection losses, until it is
// gone or the session is over (an ephemeral goes with its session). Returns at once.
// Curator: "guaranteed delete".
void remove_guaranteed(Session& session, Path znode);

// The same for a contender of which only the GUID is known, because the reply to its create never
// came: every child of `parent` whose name begins with `guid`. It syncs before it lists, so that
// a create that was still under way is seen.
void remove_guaranteed_by_guid(Session& session, Path parent, std::string guid);

}  // namespace lockstep
