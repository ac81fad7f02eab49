#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lockstep::support {

// A standalone ZooKeeper server of the Debian package, on 127.0.0.1, for one test process. It is
// killed and its directory removed when this object or the process ends, however that happens.
class ZookeeperServer {
 public:
  static constexpr std::chrono::milliseconds kTickTime{200};
  static constexpr std::chrono::milliseconds kMaxSessionTimeout{60000};
  // How often it looks for containers and times to live that are over; a minute otherwise.
  static constexpr std::chrono::milliseconds kContainerCheckInterval{300};

  // Waits until the server answers. Throws std::runtime_error with the server's log if it does not:
  // a test without its server has failed. On the main thread: the server dies with its thread.
  explicit ZookeeperServer(std::chrono::milliseconds tick_time = kTickTime);
  ~ZookeeperServer();
  ZookeeperServer(const ZookeeperServer&) = delete;
  ZookeeperServer& operator=(const ZookeeperServer&) = delete;

  // The server that all tests of this process share; started by the first who asks.
  static ZookeeperServer& shared();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // A connection string.
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // True while the session lives on the server.
  [[nodiscard]] bool knows_session(std::int64_t id) const;

 private:
  void hire_janitor();
  void clean_up();
  void write_configuration(std::chrono::milliseconds tick_time) const;
  void start_server();
  [[nodiscard]] bool wait_until_ready();
  [[nodiscard]] bool is_ready() const;
  void stop_server();

  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  pid_t server_ = -1;
  int lifeline_ = -1;
};

}  // namespace lockstep::support
