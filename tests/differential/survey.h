#pragma once

#include "differential/names.h"
#include "differential/transcript.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::differential {

// Writes down every znode from `origin` down that the session can find: Stat, data and ACL. All
// arguments outlive the task.
Task<void> survey(Session& session, const Path& origin, Names& names, Transcript& transcript,
                  std::size_t lane);

}  // namespace lockstep::differential
