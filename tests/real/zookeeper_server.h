#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "real/server_pool.h"

namespace lockstep::support {

// A standalone ZooKeeper server on 127.0.0.1, for one test process.
class ZookeeperServer {
 public:
  static constexpr std::chrono::milliseconds kTickTime{200};
  static constexpr std::chrono::milliseconds kMaxSessionTimeout{60000};
  // The pause between two checks for expired containers and times to live; ZooKeeper's default is a
  // minute.
  static constexpr std::chrono::milliseconds kContainerCheckInterval{300};

  // Waits until the server answers. Throws std::runtime_error with the server's log if it does not:
  // a test without its server has failed. Use it on the main thread. `lines` are added to its
  // configuration.
  explicit ZookeeperServer(std::chrono::milliseconds tick_time = kTickTime,
                           const std::string& lines = {});
  ZookeeperServer(const ZookeeperServer&) = delete;
  ZookeeperServer& operator=(const ZookeeperServer&) = delete;

  // Uses a server of a pool, which is free again after this object's end.
  explicit ZookeeperServer(PooledServer pooled);
  ~ZookeeperServer();

  // The server that all tests of this process share: a free one of the pool, else one that the
  // first test starts.
  static ZookeeperServer& shared();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // A connection string.
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port()); }

  // The folder of its snapshots and transaction logs; not for a server of a pool.
  [[nodiscard]] std::filesystem::path data() const;
  // True while the session lives on the server.
  [[nodiscard]] bool knows_session(std::int64_t id) const;

 private:
  struct Own;

  std::unique_ptr<Own> own_;
  PooledServer pooled_;
  std::uint16_t port_ = 0;
};

// A path that begins so and that no test of any process has used, also on a server of a pool. (The
// ids of processes come back within one run of all tests.)
std::string unused_path(const std::string& begin);

}  // namespace lockstep::support
