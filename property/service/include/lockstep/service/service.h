#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::service {

struct ControlOptions {
  std::string address = "127.0.0.1";  // An IP address.
  std::uint16_t port = 0;             // 0 for a free port.
  // How long a client may take to send its next request, and then to take the answer.
  std::chrono::milliseconds time_to_ask{60'000};
  std::chrono::milliseconds time_to_listen{60'000};
};

struct ServiceOptions {
  std::string address = "127.0.0.1";  // An IP address. Clients that reach it can do everything.
  std::uint16_t port = 0;     // The first server's port; the others follow. 0 for free ports.
  std::uint32_t servers = 1;  // All of one ensemble, with a port each.
  // tickTime, maxSessionTimeout (zero: 20 ticks) and the pause between two checks for expired
  // containers and times to live. The shortest session timeout is two ticks.
  std::chrono::milliseconds tick_time{2000};
  std::chrono::milliseconds max_session_timeout{};
  std::chrono::milliseconds container_check_interval{60000};
  // Like ZooKeeper's zookeeper.nio.sessionlessCnxnTimeout: a client that sends nothing for this
  // long and has not asked for a session loses its connection.
  std::chrono::milliseconds sessionless_connection_timeout{10'000};
  bool times_to_live = false;               // Like ZooKeeper's zookeeper.extendedTypesEnabled.
  std::optional<ControlOptions> control{};  // A port for Control over HTTP and JSON.
};

// Simulated servers in real time that clients of any language reach over TCP: a session expires
// when its client sends nothing for its timeout, as on real servers. Everything happens on the
// thread that calls run().
class Service final {
 public:
  class Loop;  // The implementation.

  // Listens at once, so clients can connect; run() serves them. Throws std::system_error, with the
  // address in its text, if it cannot listen.
  explicit Service(const ServiceOptions& options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // "127.0.0.1:2181", one for each server.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] std::vector<std::uint16_t> ports() const;
  // "127.0.0.1:8080"; empty without a port for Control.
  [[nodiscard]] std::string control_address() const;
  // From now on, SIGINT and SIGTERM stop the service too, even before run().
  void stop_at_signals();
  // Serves until it is stopped. Call it once.
  void run();
  // Callable from any thread.
  void stop();

 private:
  friend class Control;  // It calls the loop.
  std::unique_ptr<Loop> loop_;
};

}  // namespace lockstep::service
