#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "support/lab.h"

namespace lockstep::support {

// A lab around a real server: each session has a proxy of its own in front of it.
[[nodiscard]] std::unique_ptr<Lab> make_zookeeper_lab();

// A server that is configured as ZookeeperServer has it, on 127.0.0.1.
struct ServerOfLab {
  std::uint16_t port = 0;
  std::function<bool(std::int64_t)> knows_session;  // Whether it lives.
};
[[nodiscard]] std::unique_ptr<Lab> make_lab_around(ServerOfLab server);

}  // namespace lockstep::support
