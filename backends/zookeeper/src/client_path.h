#pragma once

#include "lockstep/create_mode.h"
#include "lockstep/path.h"

namespace lockstep::zookeeper {

// True if the C client takes the path of a create in this mode, or of any other operation (then
// kPersistent). For most operations it finds out itself; in a multi it must not be asked.
[[nodiscard]] bool client_takes(const Path& path, CreateMode mode = CreateMode::kPersistent);

}  // namespace lockstep::zookeeper
