#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_08 {

// GUID, but the retries are exhausted (CURATOR-45): the reply to the create is lost, and so is the
// reply to the search for it; the acquire gives up and leaves behind whatever it has created, for
// as long as the session lives. Correct: lockstep::protected_create, which goes on searching, or
// hands the GUID to a background deletion.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

}  // namespace lockstep::scenarios::zoo_08
