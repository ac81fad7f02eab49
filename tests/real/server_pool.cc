#include "real/server_pool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "real/loopback.h"

namespace lockstep::support {

namespace {

constexpr std::chrono::milliseconds kAnswerLimit(1000);

// Locks the file of a server; returns its descriptor, or -1 if another process has locked it.
int lock(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor == -1 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

bool serves_clients(std::uint16_t port) {
  return four_letter_word(port, "srvr", kAnswerLimit).find("Mode: ") != std::string::npos;
}

}  // namespace

PooledServer::~PooledServer() {
  if (lock_ != -1) close(lock_);
}

PooledServer PooledServer::take() {
  const char* const pool = std::getenv("LOCKSTEP_SERVER_POOL");
  if (!pool) return {};
  for (const auto& entry : std::filesystem::directory_iterator(pool)) {
    const int descriptor = lock(entry.path());
    if (descriptor == -1) continue;
    PooledServer server(descriptor,
                        static_cast<std::uint16_t>(std::stoi(entry.path().filename().string())));
    if (serves_clients(server.port())) return server;
  }
  return {};
}

void add_to_pool(const std::filesystem::path& pool, std::uint16_t port) {
  const std::filesystem::path file = pool / std::to_string(port);
  if (!std::ofstream(file)) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace lockstep::support
