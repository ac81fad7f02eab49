#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace lockstep::support {

// ZooKeeper servers that test processes take in turns, each for one process at a time: a start
// takes a second of processor time, which is more than most tests need. A pool is a folder with a
// file for each server, named after its port; the process that has locked the file has the server.
// The program server_pool makes a pool, and LOCKSTEP_SERVER_POOL names its folder.
//
// A server of the pool, taken until this object or this process ends. Znodes and sessions of
// earlier processes may still exist.
class PooledServer {
 public:
  PooledServer() = default;
  PooledServer(PooledServer&& other) noexcept
      : lock_(std::exchange(other.lock_, -1)), port_(other.port_) {}
  PooledServer& operator=(PooledServer&&) = delete;
  ~PooledServer();

  // None without a pool, or if no free server of it answers.
  [[nodiscard]] static PooledServer take();
  [[nodiscard]] bool has_one() const { return lock_ != -1; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  PooledServer(int lock, std::uint16_t port) : lock_(lock), port_(port) {}

  int lock_ = -1;  // The open, locked file.
  std::uint16_t port_ = 0;
};

// Adds a server to the pool, for other processes.
void add_to_pool(const std::filesystem::path& pool, std::uint16_t port);

}  // namespace lockstep::support
