#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "support/lab.h"

namespace lockstep::support {

// A lab around a real server: each session has its own proxy to it.
[[nodiscard]] std::unique_ptr<Lab> make_zookeeper_lab();

// A server on 127.0.0.1 with the configuration of ZookeeperServer.
struct ServerOfLab {
  std::uint16_t port = 0;
  std::function<bool(std::int64_t)> knows_session;  // Whether the session lives on it.
};
[[nodiscard]] std::unique_ptr<Lab> make_lab_around(ServerOfLab server);

}  // namespace lockstep::support
