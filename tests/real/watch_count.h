#pragma once

#include <cstddef>

#include "real/zookeeper_server.h"

namespace lockstep::support {

// The watches of all connections of a server, by its own count.
[[nodiscard]] std::size_t watches_at(const ZookeeperServer& server);

}  // namespace lockstep::support
