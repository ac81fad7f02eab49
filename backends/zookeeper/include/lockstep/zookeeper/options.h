#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/path.h"
#include "lockstep/session_options.h"
#include "lockstep/stat.h"
#include "lockstep/zookeeper/resolver.h"
#include "lockstep/zookeeper/retry_policy.h"
#include "lockstep/zookeeper/security.h"

namespace lockstep::zookeeper {

// What the server asks for before it lets a connection take over a session that exists.
class Credentials {
 public:
  Credentials(SessionId session, const std::array<char, 16>& password)
      : session_(session), password_(password) {}
  [[nodiscard]] SessionId session() const { return session_; }
  [[nodiscard]] const std::array<char, 16>& password() const { return password_; }

 private:
  SessionId session_;
  std::array<char, 16> password_;
};

// Takes one line, without its end, of what a session's C client and its connector have to say.
// Called on threads of the session, never twice at a time; it must not block, throw, or call the
// client. Not called any more when the Client and its sessions are gone.
//
// ZooKeeper's C client has one log level per process (zoo_set_debug_level): INFO while any session
// has a sink, none otherwise. A program that uses the C client beside this library shares it.
using LogSink = std::function<void(std::string_view line)>;

// A sink that writes to the standard error output.
[[nodiscard]] LogSink log_to_stderr();

// How a Client reaches its ensemble, and what its sessions are told.
class Options : public SessionOptions {
 public:
  static constexpr Duration kShortestSessionTimeout = std::chrono::milliseconds(100);
  static constexpr Duration kLongestSessionTimeout = std::chrono::hours(24);

  // `servers` is ZooKeeper's connection string: "host:port,host:port", with an optional chroot
  // behind it ("host:port,host:port/app"), below which all paths are then; that znode need not
  // exist. IPv6 addresses may stand in brackets. The server clamps the session timeout to its own
  // limits; Session::timeout() tells what came out.
  explicit Options(std::string servers, Duration timeout = std::chrono::seconds(10))
      : connection_string(std::move(servers)), session_timeout(timeout) {}

  // What is wrong, in words for people, if anything is; then nothing is looked up or connected to,
  // and Client::session() fails. Looks at the text of the connection string, at the range of the
  // session timeout, and at what the linked C client can do.
  [[nodiscard]] std::optional<std::string> defect() const;

  // The two parts of the connection string.
  [[nodiscard]] std::string servers() const;
  [[nodiscard]] Path chroot() const;  // "/" if there is none.

  // --- The session.
  std::string connection_string;
  // From kShortestSessionTimeout to kLongestSessionTimeout: shorter ones only keep the C client
  // busy, and a server allows no less than two of its ticks by default.
  Duration session_timeout;
  // The first session is not opened anew: the client attaches to this one, whose connection the
  // server closes (ZooKeeper Programmer's Guide, "ZooKeeper Sessions"). Watches do not move over.
  std::optional<Credentials> attach_to;

  // --- Finding a server.
  Resolver resolver = resolve_by_system;
  RetryPolicy retry;
  // Whether servers are asked `srvr` on a connection beside the C client's: before one of several
  // is chosen, and when one keeps the C client waiting or has turned it away. Without it, a silent
  // server costs two thirds of the session timeout, and last_failure() knows less.
  bool probe_servers = true;
  // How long one server may take to answer before another one is tried. Unset: the session timeout
  // divided by the number of addresses, 250 ms at least. With a single address there is nothing
  // else to try, and the C client's own limit holds: two thirds of the session timeout.
  std::optional<Duration> connect_budget;

  // --- Security of the connection. Unset: none.
  std::optional<Tls> tls;
  std::optional<Sasl> sasl;

  // --- What the session's threads have to say. Empty: nothing is said.
  LogSink log;

  // --- What one connection carries.
  // After a reconnect the C client sends the paths of all watches of a session in one packet, and a
  // server that finds it longer than SessionOptions::packet_limit closes the connection again, for
  // ever. So a read that would leave a watch is refused (kWatchLimit) once the paths watched by its
  // session take three quarters of that limit.
  //
  // So many sessions a Client opens at most, each with a connection of its own, to spread locks
  // over them that would not fit on one (see Client); 1: it never does. A server accepts 60
  // connections of one address by default (maxClientCnxns).
  std::size_t max_sessions = 16;
  // How long a session beyond the first stays open when nobody has anything on it.
  Duration spare_session_time = std::chrono::seconds(30);
};

}  // namespace lockstep::zookeeper
