#pragma once

#include <string>

#include "lockstep/session.h"

namespace lockstep::scenarios::zoo_07 {

// Create without GUID (zktools#2, zk-ruby#54, accumulo#637): a create whose reply was lost is
// simply tried again. If the first one had been applied, the session now has two places in the
// queue and waits for itself. Correct: lockstep::protected_create.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_07
