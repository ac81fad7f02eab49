#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/create_mode.h"
#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/watch_table.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/shared.h"
#include "lockstep/path.h"
#include "lockstep/request.h"
#include "lockstep/stat.h"
#include "lockstep/watch.h"

namespace lockstep::fakezk {

// The first message on every connection (ZooKeeper's ConnectRequest).
struct Handshake {
  SessionId session_id = 0;  // 0 asks for a new session.
  std::uint64_t password = 0;
  Duration timeout{};
  Zxid last_zxid_seen = 0;
};

// The watches that a client sets again after a reconnect (ZooKeeper's SetWatches2, which
// SetWatches is a part of).
struct WatchedPaths {
  Zxid relative_zxid = 0;
  std::vector<Path> data;
  std::vector<Path> exist;
  std::vector<Path> child;
  std::vector<Path> persistent{};
  std::vector<Path> recursive{};

  [[nodiscard]] auto lists() const {
    return std::array{&data, &exist, &child, &persistent, &recursive};
  }
};

// A container whose path gets a sequence number: no Session offers it, but createContainer makes it
// with the flags of a sequential znode.
inline constexpr CreateMode kSequentialContainer{7};

// Modes of a create that no Session sends: a write that the leader refuses, with the error in
// `version`.
inline constexpr CreateMode kRefused{8};           // Whether the session is alive or not.
inline constexpr CreateMode kRefusedInSession{9};  // If the session is alive and has not moved.
inline constexpr CreateMode kRefusedUnlogged{10};  // As kRefused; no transaction has its zxid.

[[nodiscard]] inline bool is_refused(const Request& request) {
  return request.op == OpCode::kCreate && request.mode >= kRefused;
}
[[nodiscard]] inline Error refusal_of(const Request& request) {
  return static_cast<Error>(request.version);
}
// Whether the leader asks, before anything else, if the session of a write is alive and has not
// moved. It asks for each operation of a multi, not for the multi
// (PrepRequestProcessor.pRequestHelper).
[[nodiscard]] inline bool asks_for_session(const Request& request) {
  if (request.op == OpCode::kClose) return false;
  if (request.op == OpCode::kMulti) {
    return !request.ops().empty() && asks_for_session(request.ops().front());
  }
  return !is_refused(request) || request.mode == kRefusedInSession;
}

// A question of another library's client: no Session offers it, and the server that the client
// is connected to answers it alone.
struct Query {
  enum class Kind : std::uint8_t {
    kWhoAmI,
    kEphemerals,   // Those of the session, whose paths begin with the text of `path`; null: all.
    kDescendants,  // How many there are below `path`.
    kReads,        // The answers to `reads`: multiRead.
    kAddWatch,     // A watch of `mode` on `path`, which need not exist.
  };
  explicit Query(Kind what) : kind(what), path(Text()) {}

  Kind kind;
  Path path;
  WatchMode mode = WatchMode::kPersistent;
  std::vector<Request> reads;
  bool breaks_off = false;  // After `reads` comes what the server cannot read.
};
struct QueryAnswer {
  std::vector<Identity> clients;  // kWhoAmI: without what they have proved it by.
  std::vector<Path> ephemerals;
  std::int32_t descendants = 0;
  std::vector<Reply> replies;
  bool too_long = false;  // The replies take more than kMostBytes, and are not all there.

  // A bound for kReads. ZooKeeper has none but its memory, which one such request can fill.
  static constexpr std::size_t kMostBytes = 32U << 20U;
};

// One message from a client to its server. Nearly all are requests; the contents of other kinds are
// stored separately, to keep requests small.
struct ClientMessage final : internal::Pooled, Mail<ClientMessage> {
  enum class Kind : std::uint8_t { kHandshake, kRequest, kSetWatches, kQuery };
  // A request with the number of its path, which is looked up only once.
  ClientMessage(Request&& asked, PathId number)
      : kind(Kind::kRequest), path(number), request(std::move(asked)) {}
  ClientMessage(const Request& asked, PathId number) : ClientMessage(Request(asked), number) {}
  explicit ClientMessage(const Handshake& greeting) : ClientMessage(Kind::kHandshake, greeting) {}
  explicit ClientMessage(WatchedPaths paths) : ClientMessage(Kind::kSetWatches, std::move(paths)) {}
  explicit ClientMessage(Query query) : ClientMessage(Kind::kQuery, std::move(query)) {}

  // For a message of that kind.
  [[nodiscard]] const Handshake& handshake() const { return std::get<Handshake>(*rest_); }
  [[nodiscard]] const WatchedPaths& watched() const { return std::get<WatchedPaths>(*rest_); }
  [[nodiscard]] const Query& query() const { return std::get<Query>(*rest_); }
  // Its server answers it alone, from its own tree.
  [[nodiscard]] bool reads() const {
    return kind == Kind::kSetWatches || kind == Kind::kQuery || is_read(request.op);
  }

  Kind kind;
  PathId path = PathTable::kRoot;
  Request request;

 private:
  using Rest = std::variant<Handshake, WatchedPaths, Query>;
  ClientMessage(Kind what, Rest&& rest)
      : kind(what), request(OpCode::kSync, Path(Text())), rest_(std::move(rest)) {}

  internal::Shared<Rest> rest_;  // the contents of other kinds than requests
};

// The server's answer to a handshake (ConnectResponse).
struct Welcome {
  SessionId session_id;
  std::uint64_t password;
  Duration timeout;
};

// One item of a client's inbox: replies and watch events share it, in ZooKeeper's order, and the
// end of the connection is its last item.
struct ServerMessage final : internal::Pooled, Mail<ServerMessage> {
  enum class Kind : std::uint8_t {
    kReply,
    kWatchEvent,
    kSessionAccepted,
    kSessionExpired,  // The handshake named a session that is over.
    kWatchesSet,      // The reply to SetWatches.
    // error tells how the client notices it: kConnectionLoss or kOperationTimeout.
    kConnectionEnded,
    kQueried,  // The reply to a Query: an answer, or an error in `reply`.
  };
  explicit ServerMessage(Kind what) : kind(what) {}
  // An empty reply to a request, from a server that has applied the log up to `applied`.
  ServerMessage(OpCode replied, Zxid applied) : kind(Kind::kReply), op(replied), zxid(applied) {}

  Kind kind;
  EventType event = EventType::kCreated;
  OpCode op = OpCode::kSync;
  PathId path = PathTable::kRoot;  // The znode of an event.
  Zxid zxid = 0;
  Reply reply;                          // reply.path is the znode of an event.
  std::optional<Welcome> welcome;       // for kSessionAccepted
  std::unique_ptr<QueryAnswer> answer;  // for kQueried
};

// The client's end of a connection.
class Endpoint {
 public:
  // One item of the inbox has arrived.
  virtual void receive(ServerMessage& message) = 0;
  // The session it serves; 0 before the first handshake has been answered.
  [[nodiscard]] virtual SessionId session_id() const = 0;

 protected:
  ~Endpoint() = default;
};

}  // namespace lockstep::fakezk
