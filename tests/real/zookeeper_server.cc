#include "real/zookeeper_server.h"

#include <sstream>
#include <stdexcept>

#include "real/loopback.h"
#include "real/started_once.h"

namespace lockstep::support {

namespace {

constexpr int kAttempts = 5;

}  // namespace

ZookeeperServer& ZookeeperServer::shared() { return started_once<ZookeeperServer>(); }

ZookeeperServer::ZookeeperServer(std::chrono::milliseconds tick_time, const std::string& lines)
    : process_(directory_.path()) {
  const std::string limits = "minSessionTimeout=" + std::to_string(2 * tick_time.count()) +
                             "\nmaxSessionTimeout=" + std::to_string(kMaxSessionTimeout.count()) +
                             "\n" + lines;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Another process may take the port before the server does: hence the attempts.
    process_.configure(free_port(), tick_time, limits);
    process_.start();
    if (process_.wait_until_ready()) return;
    process_.stop();
  }
  throw std::runtime_error("the ZooKeeper server does not start; its log:\n" + process_.log());
}

bool ZookeeperServer::knows_session(std::int64_t id) const {
  std::ostringstream hexadecimal;
  hexadecimal << "0x" << std::hex << id;
  const std::string sessions = four_letter_word(port(), "dump", std::chrono::seconds(1));
  return sessions.find(hexadecimal.str()) != std::string::npos;
}

}  // namespace lockstep::support
