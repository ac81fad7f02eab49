#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/path.h"
#include "lockstep/sequence.h"
#include "lockstep/zookeeper/options.h"

namespace lockstep::program {

// How a command for operators reaches its ensemble: `--zookeeper HOSTS`, and `--auth` for locks
// with an ACL.
class Ensemble {
 public:
  static constexpr Duration kUsualSessionTimeout = std::chrono::seconds(10);
  // How long a command without its own limit tries to reach a server.
  static constexpr Duration kConnectLimit = std::chrono::seconds(10);

  // Throws UsageError if the connection string or a credential is malformed; no message shows a
  // credential.
  [[nodiscard]] zookeeper::Options options() const;

  std::string hosts;
  Duration session_timeout = kUsualSessionTimeout;
  std::vector<std::string> auth;  // Each SCHEME:CREDENTIAL.
};

// The options that `lock`, `show` and `revoke` share: PATH, --zookeeper, --auth and
// --session-timeout.
void add_path(CLI::App& command, std::string& path);
void add_ensemble(CLI::App& command, Ensemble& ensemble);

// The path of a lock. Throws UsageError for the root, and if ZooKeeper would refuse the path.
[[nodiscard]] Path lock_path(const std::string& text);

// "30s", "500ms", "2m", "1h", "1d", or seconds without a unit. Throws UsageError.
[[nodiscard]] Duration duration_of(const std::string& option, const std::string& text);

// Every kind of contender that the commands know: those of this library's recipes, which Curator
// shares, and those of kazoo's Lock and read/write locks.
[[nodiscard]] Marks known_marks();

// The exit status, and the line for stderr, of a command that failed with `error`. The status is 75
// if the command may work later, 2 if it never will.
[[nodiscard]] int status_of(Error error);

// Prints "lockstep: <text>" on stderr as one line.
void say(const std::string& text);

// Defined in <sysexits.h>; this program uses 76 for a lost lock.
inline constexpr int kNotInTime = 75;
inline constexpr int kLost = 76;

}  // namespace lockstep::program
