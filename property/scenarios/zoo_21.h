#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_21 {

// Probe znodes (spring-integration#2557): before an acquire, an ephemeral sequential znode is
// created to see whether ZooKeeper answers; nobody deletes it, so one per acquire stays until the
// session ends. Correct: lockstep::protected_create without a probe; Session::connected() tells.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_21
