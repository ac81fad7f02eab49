#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "real/server_process.h"
#include "real/temporary_directory.h"

namespace lockstep::support {

// Three ZooKeeper servers on 127.0.0.1 that form an ensemble, for one test process. They are
// numbered 0, 1, 2.
class ZookeeperEnsemble {
 public:
  static constexpr std::size_t kServers = 3;

  // Waits until all of them serve clients. Throws std::runtime_error with a server's log if they do
  // not. On the main thread.
  ZookeeperEnsemble();
  ZookeeperEnsemble(const ZookeeperEnsemble&) = delete;
  ZookeeperEnsemble& operator=(const ZookeeperEnsemble&) = delete;

  // The ensemble that all tests of this process share; started by the first one that asks.
  static ZookeeperEnsemble& shared();

  [[nodiscard]] std::uint16_t port(std::size_t server) const { return servers_[server]->port(); }
  // A connection string.
  [[nodiscard]] std::string address(std::size_t server) const {
    return "127.0.0.1:" + std::to_string(port(server));
  }
  [[nodiscard]] std::size_t leader() const;

  // Kills a server and starts it again; returns when all serve clients. If it was the leader, there
  // is another one.
  void restart(std::size_t server);

  // One server, to be killed, started again, stopped and continued, without waiting.
  [[nodiscard]] ServerProcess& server(std::size_t number) const { return *servers_[number]; }
  // Waits until all serve clients. False if one ends instead, or takes too long.
  [[nodiscard]] bool wait_until_ready();

 private:
  void configure();

  TemporaryDirectory directory_;
  std::array<std::unique_ptr<ServerProcess>, kServers> servers_;
};

}  // namespace lockstep::support
