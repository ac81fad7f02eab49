#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "real/zookeeper_server.h"

namespace lockstep::support {

// The number of watches of all connections, as counted by the server.
[[nodiscard]] std::size_t watches_at(const ZookeeperServer& server);

// The number of znodes with watches.
[[nodiscard]] std::size_t watched_paths_at(const ZookeeperServer& server);

// Whether a session watches a descendant of that znode. (Curator also watches /zookeeper/config.)
[[nodiscard]] bool watches_below(const ZookeeperServer& server, std::int64_t session,
                                 std::string_view znode);

}  // namespace lockstep::support
