#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_09 {

// Cancel in create (CURATOR-79, CURATOR-62): the caller gives up while the reply to the create is
// under way; an exit that is no error of ZooKeeper's goes past the cleanup. Correct:
// lockstep::protected_create, whose guard cleans up whatever way it is left.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_09
