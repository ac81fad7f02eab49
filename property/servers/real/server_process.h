#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::support {

// A ZooKeeper server of the Debian package in a separate process, which is killed when this object
// or this process ends, for whatever reason. Use it on the main thread: it dies with the thread
// that started it.
class ServerProcess {
 public:
  // The server writes only to `directory`, which must exist.
  explicit ServerProcess(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~ServerProcess() { stop(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Writes the lines that every server needs, followed by `lines`.
  void configure(std::uint16_t port, std::chrono::milliseconds tick_time, const std::string& lines);
  // `more`: further options of the virtual machine, which override the usual ones. Throws
  // std::system_error if the system denies it a process or a log.
  void start(const std::vector<std::string>& more = {});
  // Kills the server.
  void stop();
  // Whether it was started and not stopped, and is not known to have ended.
  [[nodiscard]] bool started() const { return process_ != -1; }
  // Sends SIGSTOP or SIGCONT if the server runs.
  void signal(int number) const;
  // Waits until the server serves clients. Returns false if it ends instead or takes too long.
  [[nodiscard]] bool wait_until_ready();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // "standalone", "leader", "follower"; empty while it does not serve clients.
  [[nodiscard]] std::string mode() const;
  // Returns the folder of its snapshots and transaction logs.
  [[nodiscard]] std::filesystem::path data() const { return directory_ / "data" / "version-2"; }
  // Returns everything that the server has printed.
  [[nodiscard]] std::string log() const;

 private:
  [[nodiscard]] bool is_ready() const;

  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace lockstep::support
