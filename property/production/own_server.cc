#include "own_server.h"

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "child.h"
#include "program/usage.h"
#include "real/loopback.h"

namespace lockstep::program {

namespace {

constexpr std::chrono::milliseconds kTickTime(2000);
constexpr int kAttempts = 5;
constexpr const char* kJar = "/usr/share/java/zookeeper.jar";

}  // namespace

OwnServer::OwnServer(bool force_sync) {
  if (why_not_runnable("java") || !std::filesystem::exists(kJar)) {
    throw UsageError(
        "bench real: no ZooKeeper server is installed here (Debian: apt-get install zookeeper); "
        "--zookeeper HOSTS measures another one");
  }
  // A server under load compiles its code fully, unlike one that a test starts.
  const std::vector<std::string> more = {
      "-XX:TieredStopAtLevel=4", "-Xmx512m",
      std::string("-Dzookeeper.forceSync=") + (force_sync ? "yes" : "no")};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Another process may take the port first.
    process_.configure(support::free_port(), kTickTime, "");
    process_.start(more);
    if (process_.wait_until_ready()) return;
    process_.stop();
  }
  throw std::runtime_error("the ZooKeeper server does not start; its log: " + process_.log());
}

}  // namespace lockstep::program
