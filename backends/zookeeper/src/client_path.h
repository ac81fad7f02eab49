#pragma once

#include "lockstep/create_mode.h"
#include "lockstep/path.h"

namespace lockstep::zookeeper {

// True if the C client takes the path of a create in this mode, or of any other operation (then
// kPersistent). It checks most operations itself, but must not be asked inside a multi.
[[nodiscard]] bool client_takes(const Path& path, CreateMode mode = CreateMode::kPersistent);

}  // namespace lockstep::zookeeper
