#pragma once

#include "lockstep/fakezk/server_options.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// Two of three replicas: the test client's, and one that lags or fails.
inline constexpr ReplicaIndex kNear = 0;
inline constexpr ReplicaIndex kFar = 1;

inline ServerOptions three_replicas() { return {.replicas = 3}; }

}  // namespace lockstep::fakezk
