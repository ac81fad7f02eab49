#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_35 {

// Missing parent, leaderless for ever (CURATOR-724): the servers have reaped the latch's parent;
// each candidate finds it missing and waits for something to happen to it. Correct:
// lockstep::protected_create, which creates it.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_35
