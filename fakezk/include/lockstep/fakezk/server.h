#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/watch_table.h"
#include "lockstep/fakezk/znode_tree.h"
#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

using SessionIndex = std::uint32_t;

struct ServerOptions {
  Duration tick_time = std::chrono::seconds(2);  // zoo.cfg's tickTime; bounds session timeouts.
};

// Where the server gets what ZooKeeper leaves unspecified: a number below `options`, of which 0 is
// as good as any.
class Unspecified {
 public:
  virtual std::uint32_t number(std::uint32_t options) = 0;

 protected:
  ~Unspecified() = default;
};

// A standalone ZooKeeper server: the state machine, one request at a time. It reads its input from
// the links' request queues and writes replies and watch events into their inboxes. Time comes
// from outside with each call.
class Server {
 public:
  Server(Network& network, internal::TimerQueue& timers, Unspecified& unspecified,
         std::shared_ptr<PathTable> paths, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // A fresh server; keeps its memory.
  void reset(std::shared_ptr<PathTable> paths);

  // Applies the oldest request of a link. What it answered and to what is kept in last_applied().
  void apply(LinkIndex link, TimePoint now);

  struct Applied {
    OpCode op = OpCode::kSync;
    bool is_request = false;  // Otherwise a handshake or SetWatches.
    Error error = Error::kSystemError;
    bool has_error = false;
    Zxid zxid = 0;
    PathId path = PathTable::kRoot;
  };
  [[nodiscard]] const Applied& last_applied() const { return applied_; }

  // The connection of a link has ended: its watches go, and the session's clock runs.
  void connection_ended(LinkIndex link, TimePoint now);

  // Expiry, first stage: the server has decided. From now on the session's requests are dropped.
  // Fires by itself, through a timer, for a session without connection. `noticed_as` is what a
  // client that is connected will take the end of its connection for.
  void decide_expiry(SessionIndex session, Error noticed_as = Error::kConnectionLoss);
  // When the server would expire a session that it hears nothing of from `silence` on.
  [[nodiscard]] TimePoint expiry_time(SessionIndex session, TimePoint silence) const;
  // Expiry, second stage: the sessions whose end is decided and not yet applied.
  [[nodiscard]] std::span<const SessionIndex> closing() const { return closing_; }
  // Deletes the session's ephemerals in one transaction and ends its connection. The client learns
  // of it at its next handshake: the third stage.
  void finish_close(SessionIndex session, TimePoint now);

  [[nodiscard]] SessionIndex session_count() const { return session_count_; }
  [[nodiscard]] bool session_alive(SessionIndex session) const {
    return sessions_[session].phase == Phase::kOpen;
  }
  [[nodiscard]] SessionId session_id(SessionIndex session) const { return sessions_[session].id; }
  [[nodiscard]] bool session_alive(SessionId id) const;
  // The session served over a link, if any.
  static constexpr SessionIndex kNoSession = static_cast<SessionIndex>(-1);
  [[nodiscard]] SessionIndex session_of(LinkIndex link) const {
    return link < session_of_link_.size() ? session_of_link_[link] : kNoSession;
  }
  [[nodiscard]] LinkIndex link_of(SessionIndex session) const { return sessions_[session].link; }
  static constexpr LinkIndex kNoLink = static_cast<LinkIndex>(-1);

  [[nodiscard]] const ZnodeTree& tree() const { return tree_; }
  [[nodiscard]] const PathTable& paths() const { return *paths_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] Zxid last_zxid() const { return zxid_; }

 private:
  enum class Phase : std::uint8_t { kOpen, kClosing, kClosed };
  class Expiry final : public Timer {
   public:
    void run() override { server->decide_expiry(session); }
    Server* server = nullptr;
    SessionIndex session = 0;
  };
  struct ServerSession {
    SessionId id = 0;
    std::uint64_t password = 0;
    Duration timeout{};
    LinkIndex link = kNoLink;
    Phase phase = Phase::kOpen;
    Error noticed_as = Error::kConnectionLoss;
    std::vector<PathId> ephemerals;
    Expiry expiry;
  };

  void greet(LinkIndex link, const Handshake& handshake, TimePoint now);
  SessionIndex open_session();
  [[nodiscard]] SessionIndex find_session(const Handshake& handshake) const;
  void set_watches(LinkIndex link, const WatchedPaths& watched);

  Reply execute(LinkIndex link, SessionIndex session, Request& request, std::int64_t now_ms);
  Reply create(SessionIndex session, Request& request, std::int64_t now_ms);
  Reply remove(SessionIndex session, const Request& request);
  Reply set_data(SessionIndex session, Request& request, std::int64_t now_ms);
  Reply read(LinkIndex link, const Request& request);
  void close_session(SessionIndex session);

  void commit_create(PathId id, SessionIndex session, Request& request, std::int64_t now_ms);
  void commit_remove(PathId id, SessionId actor);
  void notify(WatchTable& table, PathId path, EventType type);
  void notify_deleted(PathId path);
  void send_event(LinkIndex link, PathId path, EventType type);
  void forget_ephemeral(PathId id, SessionId owner);

  // Brings ids into an order that nobody may rely on.
  void shuffle(std::vector<PathId>& ids);

  Network& network_;
  internal::TimerQueue& timers_;
  Unspecified& unspecified_;
  ServerOptions options_;
  std::shared_ptr<PathTable> paths_;
  ZnodeTree tree_;
  WatchTable data_watches_;
  WatchTable child_watches_;
  std::deque<ServerSession> sessions_;  // Used again after a reset, with their memory.
  SessionIndex session_count_ = 0;
  std::vector<SessionIndex> session_of_link_;
  std::vector<SessionIndex> closing_;
  History history_;
  std::vector<PathId> scratch_;
  Applied applied_;
  Zxid zxid_ = 0;
};

}  // namespace lockstep::fakezk
