#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/create_mode.h"
#include "lockstep/request.h"

// START HERE: differential tests. A program is data; it runs on the fake and on a real server. Its
// sessions must see the same on both, except for the exclusions in exclusion.h.
namespace lockstep::differential {

// One request of a session.
class Op {
 public:
  explicit Op(OpCode op_code, std::string znode = "") : op(op_code), path(std::move(znode)) {}

  OpCode op;
  std::string path;       // Appended to the path of the program's own znode.
  bool absolute = false;  // The path is absolute.
  std::optional<std::string> data;
  CreateMode mode = CreateMode::kPersistent;
  std::int64_t ttl_ms = 0;
  std::int32_t version = -1;
  bool watch = false;
  WatchType watch_type = WatchType::kAny;  // remove_watches
  Acl acl;
  std::string scheme;   // add_auth
  std::vector<Op> ops;  // multi

  friend bool operator==(const Op&, const Op&) = default;
};

enum class StepKind : std::uint8_t {
  kSend,        // Sends the requests without waiting, then waits for all replies.
  kLose,        // The same, but the connection breaks after `applied` of them, before any reply.
  kClose,       // The same, but closes the session before any reply.
  kDeafen,      // Replies and events are held back; a lost connection loses them.
  kDisconnect,  // The connection stays lost until kReconnect. The step waits for no reply.
  kFail,        // While disconnected: another attempt to connect fails.
  kReconnect,   // Connects again, or receives again if it was only deaf.
  kKill,        // An operator ends the session on the server; then its client learns of it.
  kExpire,      // The same, but the server ends it after its timeout.
  kOpen,        // Replaces a session that is over by a new one.
};

// An action of one session, or an event that happens to it. A step that is impossible at its turn
// (a disconnect of a session that is over) is skipped, so every part of a program is a program.
class Step {
 public:
  Step(StepKind step_kind, int number) : kind(step_kind), session(number) {}

  StepKind kind;
  int session;
  int applied = 0;      // kLose
  std::vector<Op> ops;  // kSend, kLose, kClose

  friend bool operator==(const Step&, const Step&) = default;
};

class Program {
 public:
  static constexpr int kSessions = 4;

  std::vector<Step> steps;

  // The highest number of a session, plus one.
  [[nodiscard]] int sessions() const;
  [[nodiscard]] std::size_t size() const;  // in requests
  [[nodiscard]] bool expires(int session) const;

  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace lockstep::differential
