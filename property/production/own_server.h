#pragma once

#include <string>

#include "real/server_process.h"
#include "real/temporary_directory.h"

namespace lockstep::program {

// A standalone ZooKeeper server of the Debian package, for one measurement. Use it on the main
// thread.
class OwnServer {
 public:
  // Waits until the server answers. Throws UsageError if none is installed, std::runtime_error with
  // its log if it does not start.
  explicit OwnServer(bool force_sync);
  // A connection string.
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(process_.port());
  }

 private:
  support::TemporaryDirectory directory_;
  support::ServerProcess process_{directory_.path()};
};

}  // namespace lockstep::program
