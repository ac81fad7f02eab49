#include "ensemble.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <utility>

#include "lockstep/internal/path_rules.h"
#include "program/usage.h"

namespace lockstep::program {

namespace {

constexpr double kLongestSeconds = 10.0 * 365 * 24 * 3600;

// kazoo's names, without the hyphen in front.
constexpr std::array kKnownMarks = {
    Mark{kLockMark, Share::kExclusive}, Mark{kReadMark, Share::kShared},
    Mark{kWriteMark, Share::kExclusive}, Mark{"__lock__", Share::kExclusive},
    Mark{"__rlock__", Share::kShared}};

std::optional<double> seconds_in(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
      {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit) return seconds;
  }
  return std::nullopt;
}

AuthInfo auth_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    throw UsageError(
        "--auth or LOCKSTEP_AUTH: expected SCHEME:CREDENTIAL, as digest:user:password");
  }
  return {text.substr(0, colon), Data(std::string_view(text).substr(colon + 1))};
}

}  // namespace

Marks known_marks() { return kKnownMarks; }

zookeeper::Options Ensemble::options() const {
  zookeeper::Options options(hosts, session_timeout);
  for (const std::string& text : auth) options.auth.push_back(auth_of(text));
  if (const std::optional<std::string> defect = zookeeper::Options(hosts).defect()) {
    throw UsageError("--zookeeper " + hosts + ": " + *defect);
  }
  if (const std::optional<std::string> defect = options.defect()) throw UsageError(*defect);
  return options;
}

void add_path(CLI::App& command, std::string& path) {
  command.add_option("PATH", path, "The lock: the parent of its contenders' znodes")->required();
}

void add_ensemble(CLI::App& command, Ensemble& ensemble) {
  command
      .add_option("--zookeeper", ensemble.hosts,
                  "The servers, as ZooKeeper's connection string: host:port,host:port[/chroot]")
      ->type_name("HOSTS")
      ->required();
  command
      .add_option_function<std::string>(
          "--session-timeout",
          [&ensemble](const std::string& text) {
            ensemble.session_timeout = duration_of("--session-timeout", text);
          },
          "How long the servers keep a silent session (10s)")
      ->type_name("D");
  command
      .add_option("--auth", ensemble.auth,
                  "A credential for locks with an ACL, as digest:user:password; several may be "
                  "given. LOCKSTEP_AUTH keeps it out of the list of processes")
      ->type_name("SCHEME:CREDENTIAL")
      ->allow_extra_args(false)
      ->envname("LOCKSTEP_AUTH");
}

Path lock_path(const std::string& text) {
  if (!fakezk::server_accepts(text)) throw UsageError("'" + text + "' is not a path of a znode");
  if (text == "/") throw UsageError("'/' is the root, and no lock");
  return Path(text);
}

Duration duration_of(const std::string& option, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  const std::optional<double> unit = seconds_in(std::string_view(after, end));
  const bool valid = error == std::errc() && unit && std::isfinite(number) && number >= 0;
  if (!valid || number * *unit > kLongestSeconds) {
    throw UsageError(option + ": '" + text + "' is not a time: 30s, 500ms, 2m, 1h");
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(number * *unit));
}

int status_of(Error error) {
  switch (error) {
    case Error::kBadArguments:
    case Error::kUnimplemented:
    case Error::kNoChildrenForEphemerals:
    case Error::kNodeExists:
    case Error::kNoAuth:
    case Error::kAuthFailed:
    case Error::kInvalidAcl:
    case Error::kPacketTooLarge: return 2;
    default: return kNotInTime;
  }
}

void say(const std::string& text) {
  std::cerr << "lockstep: " + one_line(text) + "\n" << std::flush;
}

}  // namespace lockstep::program
