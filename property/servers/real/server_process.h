#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::support {

// A ZooKeeper server of the Debian package, in a process of its own. It is killed when this object
// or this process ends, however that happens. On the main thread: it dies with its thread.
class ServerProcess {
 public:
  // Everything the server writes goes to `directory`, which exists.
  explicit ServerProcess(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~ServerProcess() { stop(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Writes the lines that every server needs, followed by `lines`.
  void configure(std::uint16_t port, std::chrono::milliseconds tick_time, const std::string& lines);
  // `more`: further options of the virtual machine, which override the usual ones.
  void start(const std::vector<std::string>& more = {});
  // Kills it.
  void stop();
  // It was started, not killed, and is not known to have ended by itself.
  [[nodiscard]] bool started() const { return process_ != -1; }
  // SIGSTOP or SIGCONT, while it runs.
  void signal(int number) const;
  // Waits until it serves clients. False if it ends instead, or takes too long.
  [[nodiscard]] bool wait_until_ready();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // "standalone", "leader", "follower"; empty while it does not serve clients.
  [[nodiscard]] std::string mode() const;
  // Returns the folder of its snapshots and transaction logs.
  [[nodiscard]] std::filesystem::path data() const { return directory_ / "data" / "version-2"; }
  // Returns everything that it has printed.
  [[nodiscard]] std::string log() const;

 private:
  [[nodiscard]] bool is_ready() const;

  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace lockstep::support
