#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "real/server_process.h"
#include "real/temporary_directory.h"

namespace lockstep::support {

// Three ZooKeeper servers on 127.0.0.1 that form an ensemble, for one test process, numbered 0, 1,
// 2.
class ZookeeperEnsemble {
 public:
  static constexpr std::size_t kServers = 3;

  // Waits until all of them serve clients. Throws std::runtime_error with a server's log if they do
  // not. Use it on the main thread.
  ZookeeperEnsemble();
  ZookeeperEnsemble(const ZookeeperEnsemble&) = delete;
  ZookeeperEnsemble& operator=(const ZookeeperEnsemble&) = delete;

  // The ensemble that all tests of this process share, started on first use.
  static ZookeeperEnsemble& shared();

  [[nodiscard]] std::uint16_t port(std::size_t server) const { return servers_[server]->port(); }
  // A connection string.
  [[nodiscard]] std::string address(std::size_t server) const {
    return "127.0.0.1:" + std::to_string(port(server));
  }
  [[nodiscard]] std::size_t leader() const;

  // Kills a server and starts it again; returns when all serve clients. If it was the leader,
  // another one is elected.
  void restart(std::size_t server);

  // One server, for killing, restarting, stopping and continuing it without waiting.
  [[nodiscard]] ServerProcess& server(std::size_t number) const { return *servers_[number]; }
  // Waits until all serve clients. Returns false if one ends instead or takes too long.
  [[nodiscard]] bool wait_until_ready();

 private:
  void configure();

  TemporaryDirectory directory_;
  std::array<std::unique_ptr<ServerProcess>, kServers> servers_;
};

}  // namespace lockstep::support
