#pragma once

#include "differential/names.h"
#include "differential/transcript.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::differential {

// Records Stat, data and ACL of every readable znode from `origin` down. All arguments outlive the
// task.
Task<void> survey(Session& session, const Path& origin, Names& names, Transcript& transcript,
                  std::size_t lane);

}  // namespace lockstep::differential
