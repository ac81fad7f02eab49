#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_11 {

// Cleanup on a stale read (CURATOR-264): after a lost reply the create is looked for on a server
// that has not applied it yet, found missing, and repeated: two znodes of one contender, who waits
// behind himself. Correct: lockstep::protected_create, which syncs before it looks.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_11
