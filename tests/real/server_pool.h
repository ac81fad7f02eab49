#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace lockstep::support {

// ZooKeeper servers that test processes use in turns, each by one process at a time: a start takes
// a second of a processor, which is more than most tests need. The pool is a folder with a file for
// each server, named after its port; the process that has locked the file has the server. The
// program server_pool makes a pool, and LOCKSTEP_SERVER_POOL names its folder.
//
// A server of the pool, while this object or this process lives. The znodes and sessions of earlier
// processes may still be there.
class PooledServer {
 public:
  PooledServer() = default;
  PooledServer(PooledServer&& other) noexcept
      : lock_(std::exchange(other.lock_, -1)), port_(other.port_) {}
  PooledServer& operator=(PooledServer&&) = delete;
  ~PooledServer();

  // None if there is no pool, or no free server in it that answers.
  [[nodiscard]] static PooledServer take();
  [[nodiscard]] bool has_one() const { return lock_ != -1; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  PooledServer(int lock, std::uint16_t port) : lock_(lock), port_(port) {}

  int lock_ = -1;  // The file, open.
  std::uint16_t port_ = 0;
};

// Adds a server to the pool, for other processes.
void add_to_pool(const std::filesystem::path& pool, std::uint16_t port);

}  // namespace lockstep::support
