#pragma once

#include <string_view>

#include "lockstep/data.h"

namespace lockstep::zookeeper {

// What this process can say of itself to those who look at a queue, for LockOptions::data:
// "host=<name> pid=<number>", and `text` behind it if there is any. From any thread.
[[nodiscard]] Data contender_data(std::string_view text = {});

}  // namespace lockstep::zookeeper
