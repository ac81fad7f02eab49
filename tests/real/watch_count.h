#pragma once

#include <cstddef>

#include "real/zookeeper_server.h"

namespace lockstep::support {

// The watches of all connections of a server, by its own count.
[[nodiscard]] std::size_t watches_at(const ZookeeperServer& server);

// The znodes that they are on.
[[nodiscard]] std::size_t watched_paths_at(const ZookeeperServer& server);

}  // namespace lockstep::support
