#pragma once

#include <string_view>

#include "lockstep/data.h"

namespace lockstep::zookeeper {

// Describes this process to readers of a queue, for LockOptions::data: "host=<name> pid=<number>",
// followed by `text` if there is any. From any thread.
[[nodiscard]] Data contender_data(std::string_view text = {});

}  // namespace lockstep::zookeeper
