#include "real/zookeeper_ensemble.h"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "real/loopback.h"
#include "real/started_once.h"
#include "real/zookeeper_server.h"

namespace lockstep::support {

namespace {

constexpr int kAttempts = 3;
constexpr std::chrono::milliseconds kTickTime(200);

std::string name_of(std::size_t server) { return std::to_string(server + 1); }

}  // namespace

ZookeeperEnsemble& ZookeeperEnsemble::shared() { return started_once<ZookeeperEnsemble>(); }

ZookeeperEnsemble::ZookeeperEnsemble() {
  for (std::size_t i = 0; i < kServers; ++i) {
    const std::filesystem::path own = directory_.path() / name_of(i);
    std::filesystem::create_directories(own / "data");
    std::ofstream(own / "data" / "myid") << name_of(i) << '\n';
    servers_[i] = std::make_unique<ServerProcess>(own);
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    configure();
    for (const auto& server : servers_) server->start();
    if (wait_until_ready()) return;
    for (const auto& server : servers_) server->stop();
  }
  throw std::runtime_error("the ensemble does not start; the log of a server:\n" +
                           servers_[0]->log());
}

void ZookeeperEnsemble::configure() {
  std::string members = "initLimit=50\nsyncLimit=25\nmaxSessionTimeout=" +
                        std::to_string(ZookeeperServer::kMaxSessionTimeout.count()) + "\n";
  for (std::size_t i = 0; i < kServers; ++i) {
    members += "server." + name_of(i) + "=127.0.0.1:" + std::to_string(free_port()) + ":" +
               std::to_string(free_port()) + "\n";
  }
  for (const auto& server : servers_) server->configure(free_port(), kTickTime, members);
}

bool ZookeeperEnsemble::wait_until_ready() {
  return std::ranges::all_of(servers_,
                             [](const auto& server) { return server->wait_until_ready(); });
}

// An ensemble on a busy machine elects another leader now and then, or is slow to answer.
std::size_t ZookeeperEnsemble::leader() const {
  constexpr int kLooks = 100;
  constexpr int kBetweenLooksMs = 100;
  for (int look = 0; look < kLooks; ++look) {
    for (std::size_t i = 0; i < kServers; ++i) {
      if (servers_[i]->mode() == "leader") return i;
    }
    ::poll(nullptr, 0, kBetweenLooksMs);
  }
  throw std::runtime_error("the ensemble has no leader");
}

void ZookeeperEnsemble::restart(std::size_t server) {
  servers_[server]->stop();
  servers_[server]->start();
  if (!wait_until_ready()) throw std::runtime_error("the ensemble does not come back");
}

}  // namespace lockstep::support
