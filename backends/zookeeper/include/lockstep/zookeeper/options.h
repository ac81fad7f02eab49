#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/path.h"
#include "lockstep/stat.h"

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

// Where the messages of ZooKeeper's own C client go. It has one log level per process: the session
// opened last decides.
enum class ClientLog : std::uint8_t { kSilent, kStderr };

// How a Client reaches its ensemble.
class Options {
 public:
  // `servers` is ZooKeeper's connection string: "host:port,host:port", with an optional chroot
  // behind it ("host:port,host:port/app"), below which all paths are then; that znode need not
  // exist. The server clamps the session timeout to its own limits; Session::timeout() tells what
  // came out.
  explicit Options(std::string servers, Duration timeout = std::chrono::seconds(10))
      : connection_string(std::move(servers)), session_timeout(timeout) {}

  // False if the connection string or the session timeout cannot be meant seriously: nothing is
  // looked up or connected to.
  [[nodiscard]] bool well_formed() const;

  // The two parts of the connection string.
  [[nodiscard]] std::string servers() const;
  [[nodiscard]] Path chroot() const;  // "/" if there is none.

  std::string connection_string;
  Duration session_timeout;
  // Attaches to this session instead of opening a new one; the connection that it had is closed by
  // the server (ZooKeeper Programmer's Guide, "ZooKeeper Sessions"). Watches do not move over.
  std::optional<Credentials> attach_to;
  ClientLog log = ClientLog::kSilent;
};

}  // namespace lockstep::zookeeper
