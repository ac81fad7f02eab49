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

// How a command for operators reaches its ensemble: `--zookeeper HOSTS`, and with `--auth` locks
// that not everybody may see.
class Ensemble {
 public:
  static constexpr Duration kUsualSessionTimeout = std::chrono::seconds(10);
  // How long a command without a time of its own tries to reach a server.
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

// The path of a lock. Throws UsageError if ZooKeeper would refuse it, and for the root.
[[nodiscard]] Path lock_path(const std::string& text);

// "30s", "500ms", "2m", "1h", "1d", or seconds without a unit. Throws UsageError.
[[nodiscard]] Duration duration_of(const std::string& option, const std::string& text);

// Every kind of contender that the commands know: those of this library's recipes, which Curator
// shares, and those of kazoo's Lock and read/write locks.
[[nodiscard]] Marks known_marks();

// The exit status, and the line on stderr, of a command that could not do its work because of
// `error`: 75 if it may work later, 2 if it never will.
[[nodiscard]] int status_of(Error error);

// Prints "lockstep: <text>" on stderr as one line.
void say(const std::string& text);

// Defined as in <sysexits.h>; 76 is a lock that was lost.
inline constexpr int kNotInTime = 75;
inline constexpr int kLost = 76;

}  // namespace lockstep::program
