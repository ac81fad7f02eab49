#include "real/zookeeper_server.h"

#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "real/loopback.h"
#include "real/server_process.h"
#include "real/started_once.h"
#include "real/temporary_directory.h"

namespace lockstep::support {

namespace {

constexpr int kAttempts = 5;

}  // namespace

struct ZookeeperServer::Own {
  TemporaryDirectory directory;
  ServerProcess process{directory.path()};
};

namespace {

std::unique_ptr<ZookeeperServer> taken_from_pool() {
  PooledServer pooled = PooledServer::take();
  return pooled.has_one() ? std::make_unique<ZookeeperServer>(std::move(pooled)) : nullptr;
}

}  // namespace

ZookeeperServer& ZookeeperServer::shared() {
  static const std::unique_ptr<ZookeeperServer> pooled = taken_from_pool();
  return pooled ? *pooled : started_once<ZookeeperServer>();
}

ZookeeperServer::ZookeeperServer(PooledServer pooled)
    : pooled_(std::move(pooled)), port_(pooled_.port()) {}

ZookeeperServer::~ZookeeperServer() = default;

ZookeeperServer::ZookeeperServer(std::chrono::milliseconds tick_time, const std::string& lines)
    : own_(std::make_unique<Own>()) {
  const std::string limits = "minSessionTimeout=" + std::to_string(2 * tick_time.count()) +
                             "\nmaxSessionTimeout=" + std::to_string(kMaxSessionTimeout.count()) +
                             "\n" + lines;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Several attempts, because another process may take the port first.
    port_ = free_port();
    own_->process.configure(port_, tick_time, limits);
    own_->process.start();
    if (own_->process.wait_until_ready()) return;
    own_->process.stop();
  }
  throw std::runtime_error("the ZooKeeper server does not start; its log:\n" + own_->process.log());
}

std::filesystem::path ZookeeperServer::data() const { return own_->process.data(); }

bool ZookeeperServer::knows_session(std::int64_t id) const {
  std::ostringstream hexadecimal;
  hexadecimal << "0x" << std::hex << id;
  const std::string sessions = four_letter_word(port(), "dump", std::chrono::seconds(1));
  return sessions.find(hexadecimal.str()) != std::string::npos;
}

std::string unused_path(const std::string& begin) {
  std::random_device device;
  std::ostringstream path;
  path << begin << std::hex << '-' << device() << device();
  return path.str();
}

}  // namespace lockstep::support
