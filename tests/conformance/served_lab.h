#pragma once

#include <algorithm>
#include <memory>
#include <thread>

#include "lockstep/service/control.h"
#include "lockstep/service/service.h"
#include "real/lab_zookeeper.h"
#include "real/zookeeper_server.h"

namespace lockstep::conformance {

// The simulated servers behind sockets, on a separate thread until the process ends.
class SharedService {
 public:
  static SharedService& instance() {
    static SharedService service;
    return service;
  }
  ~SharedService() {
    service_.stop();
    thread_.join();
  }
  SharedService(const SharedService&) = delete;
  SharedService& operator=(const SharedService&) = delete;

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
  SharedService() : service_(options()), thread_([this] { service_.run(); }) {}

  service::Service service_;
  service::Control control_{service_};
  std::thread thread_;
};

// The production backend against the simulated servers, with a proxy for each session.
inline std::unique_ptr<support::Lab> make_served_lab() {
  SharedService& service = SharedService::instance();
  return support::make_lab_around(
      {service.port(), [&service](SessionId id) { return service.knows_session(id); }});
}

}  // namespace lockstep::conformance
