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

// The server asks for these before it lets a connection take over an existing session.
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

// Receives the log of a Client's sessions, their C clients and connectors, one line per call,
// without line end. Called on threads of the sessions, by one Client never twice at a time; it must
// not block, throw, or call the client. Not called any more when the Client and its sessions are
// gone.
//
// ZooKeeper's C client has one log level per process (zoo_set_debug_level): INFO while any session
// has a sink, none otherwise. This also applies to a program's own use of the C client.
using LogSink = std::function<void(std::string_view line)>;

// A sink that writes to the standard error output.
[[nodiscard]] LogSink log_to_stderr();

// How a Client reaches its ensemble, and the options of its sessions.
class Options : public SessionOptions {
 public:
  static constexpr Duration kShortestSessionTimeout = std::chrono::milliseconds(100);
  static constexpr Duration kLongestSessionTimeout = std::chrono::hours(24);

  // `servers` is ZooKeeper's connection string: "host:port,host:port", optionally followed by a
  // chroot ("host:port,host:port/app"), which all paths are then relative to; that znode need not
  // exist. IPv6 addresses may be in brackets. The server clamps the session timeout to its own
  // limits; Session::timeout() returns the result.
  explicit Options(std::string servers, Duration timeout = std::chrono::seconds(10))
      : connection_string(std::move(servers)), session_timeout(timeout) {}

  // Describes in plain words what is wrong, if anything is; then nothing is looked up or connected
  // to, and Client::session() fails. Checks the connection string, session_timeout, connect_budget,
  // fencing_epoch, packet_limit (at most 1 GiB), max_sessions, spare_session_time, the schemes of
  // `auth` and the lengths of its credentials, and the features of the linked C client.
  [[nodiscard]] std::optional<std::string> defect() const;

  // The two parts of the connection string.
  [[nodiscard]] std::string servers() const;
  [[nodiscard]] Path chroot() const;  // "/" if there is none.

  // --- The session.
  std::string connection_string;
  // From kShortestSessionTimeout to kLongestSessionTimeout: shorter ones only keep the C client
  // busy, and a server allows no less than two of its ticks by default.
  Duration session_timeout;
  // The client attaches to this session instead of opening its first one; the server closes that
  // session's connection (ZooKeeper Programmer's Guide, "ZooKeeper Sessions"). Watches do not move
  // over.
  std::optional<Credentials> attach_to;

  // --- Finding a server.
  Resolver resolver = resolve_by_system;
  RetryPolicy retry;
  // Whether servers are asked `srvr` on a connection of our own: before one of several is chosen,
  // and when one keeps the C client waiting or has turned it away. Without it, a silent server
  // costs two thirds of the session timeout, and last_failure() knows less.
  bool probe_servers = true;
  // How long one server may take to answer `srvr` before another one is tried. Unset: the session
  // timeout divided by the number of addresses, but at least 250 ms. A server that answers this but
  // not the handshake, and with a single address any silent one, keeps the C client for the
  // latter's own limit: two thirds of the session timeout.
  std::optional<Duration> connect_budget;

  // --- Security of the connection. Unset: none.
  std::optional<Tls> tls;
  std::optional<Sasl> sasl;

  // --- The log of the session's threads. Empty: no log.
  LogSink log;

  // --- The limits of one connection.
  //
  // After a reconnect the C client sends the paths of all watches of a session in one packet. A
  // server that finds it longer than SessionOptions::packet_limit closes the connection again, on
  // every reconnect. So a read that would leave a watch is refused (kWatchLimit) once the paths
  // watched by its session take three quarters of that limit.
  //
  // A Client opens at most this many sessions, each with a connection of its own, to spread locks
  // that would not fit on one (see Client); 1: it never opens a second one. A server accepts 60
  // connections of one address by default (maxClientCnxns).
  std::size_t max_sessions = 16;
  // How long an unused session beyond the first stays open. Positive; Duration::max(): as long as
  // the client.
  Duration spare_session_time = std::chrono::seconds(30);
};

}  // namespace lockstep::zookeeper
