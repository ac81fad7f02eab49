#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "lockstep/service/control.h"
#include "lockstep/service/service.h"
#include "real/lab_zookeeper.h"
#include "real/zookeeper_server.h"

namespace lockstep::conformance {

// The simulated servers behind sockets, on a separate thread.
class RunningService {
 public:
  RunningService() : service_(options()), thread_([this] { service_.run(); }) {}
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;
  ~RunningService() {
    service_.stop();
    thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return service_.ports().front(); }
  [[nodiscard]] bool knows_session(SessionId id) {
    return std::ranges::any_of(control_.sessions(),
                               [id](const auto& session) { return session.id == id; });
  }

 private:
  // Equal to the configuration of the real one in ZookeeperServer.
  static service::ServiceOptions options() {
    return {.tick_time = support::ZookeeperServer::kTickTime,
            .max_session_timeout = support::ZookeeperServer::kMaxSessionTimeout,
            .container_check_interval = support::ZookeeperServer::kContainerCheckInterval,
            .times_to_live = true};
  }

  service::Service service_;
  service::Control control_{service_};
  std::thread thread_;
};

// One for all tests. It ends with the last of them: a thread that has used OpenSSL must end before
// OpenSSL cleans up at the end of the process.
class SharedService final : public ::testing::Environment {
 public:
  static RunningService& instance() {
    static SharedService& shared = make();
    if (!shared.running_) shared.running_.emplace();
    return *shared.running_;
  }

 private:
  // GoogleTest owns it.
  static SharedService& make() {
    auto* const shared = new SharedService();
    ::testing::AddGlobalTestEnvironment(shared);
    return *shared;
  }
  void TearDown() override { running_.reset(); }

  std::optional<RunningService> running_;
};

// The production backend against the simulated servers, with a proxy for each session.
inline std::unique_ptr<support::Lab> make_served_lab() {
  RunningService& service = SharedService::instance();
  return support::make_lab_around(
      {service.port(), [&service](SessionId id) { return service.knows_session(id); }});
}

}  // namespace lockstep::conformance
