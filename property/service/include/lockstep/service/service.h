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
  std::uint16_t port = 0;             // 0: a free one.
};

struct ServiceOptions {
  std::string address = "127.0.0.1";  // An IP address. A client that reaches it may do anything.
  std::uint16_t port = 0;             // Of the first server; the others follow. 0: free ones.
  std::uint32_t servers = 1;          // Of one ensemble, a port each.
  // tickTime, maxSessionTimeout (zero: 20 ticks) and the pause between two looks for containers and
  // times to live that are over. The shortest session timeout is two ticks.
  std::chrono::milliseconds tick_time{2000};
  std::chrono::milliseconds max_session_timeout{};
  std::chrono::milliseconds container_check_interval{60000};
  bool times_to_live = false;               // As with ZooKeeper's zookeeper.extendedTypesEnabled.
  std::optional<ControlOptions> control{};  // A port for Control, over HTTP and JSON.
};

// Simulated servers that clients of any language reach over TCP, in real time: a session expires
// when its client sends nothing for its timeout, as on real servers. Everything happens on the
// thread that calls run().
class Service final {
 public:
  class Loop;  // What it is made of.

  // Listens at once, so that clients can connect; they are served by run(). Throws
  // std::system_error, with the address in its text, if that is impossible.
  explicit Service(const ServiceOptions& options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // "127.0.0.1:2181", one for each server.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] std::vector<std::uint16_t> ports() const;
  // "127.0.0.1:8080"; empty if there is no port for Control.
  [[nodiscard]] std::string control_address() const;
  // From now on, SIGINT and SIGTERM stop it too, also before run().
  void stop_at_signals();
  // Serves until it is stopped. Once.
  void run();
  // From any thread.
  void stop();

 private:
  friend class Control;  // A test's hands.
  std::unique_ptr<Loop> loop_;
};

}  // namespace lockstep::service
