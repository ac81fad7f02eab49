#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_22 {

// The parent vanishes (kazoo#563): the lock makes sure of its parent once in its life; the server
// deletes it as an empty container; the next create fails with NoNodeError, which escapes to the
// application. Correct: lockstep::protected_create, which creates the parent again.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_22
