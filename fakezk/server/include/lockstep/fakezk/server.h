#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/applied.h"
#include "lockstep/fakezk/connections.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/leader.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/replicas.h"
#include "lockstep/fakezk/server_options.h"
#include "lockstep/fakezk/server_timers.h"
#include "lockstep/fakezk/strays.h"
#include "lockstep/fakezk/throttle.h"
#include "lockstep/fakezk/txn.h"
#include "lockstep/fakezk/unspecified.h"

namespace lockstep::fakezk {

// ZooKeeper's servers, as their clients meet them: they serve the connections, pass writes on to
// the leader, and apply what it commits to the replicas, at once unless one lags. The state
// machine, one step at a time: it reads its input from the links' request queues and writes replies
// and watch events into their inboxes; time comes from outside with each call.
class Server final {
 public:
  Server(Network& network, ServerTimers& timers, Unspecified& unspecified,
         std::shared_ptr<PathTable> paths, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Fresh servers; keeps its memory.
  void reset(std::shared_ptr<PathTable> paths);

  // The whole state while at_rest(), for reset_to(); valid only with the table of paths of that
  // time.
  struct Checkpoint;
  // Whether there is no watch, nothing is being closed or reaped, and every replica can be reached.
  [[nodiscard]] bool at_rest() const;
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);

  // Reports everything that is touched to `recorder` from now on; null stops it.
  void record_into(FootprintRecorder* recorder);

  [[nodiscard]] bool reaps() const { return options_.reaps(); }

  // True if the oldest request of a link can be taken up now: reads wait for the session's own
  // writes (CommitProcessor), and a replica without its leader takes up nothing but reads.
  [[nodiscard]] bool can_apply(LinkIndex link) const {
    return !options_.is_ensemble() || replica_can_apply(link);
  }
  // True if there may be something to do besides what clients ask for: sessions to close, znodes to
  // reap, strays, or replicas behind.
  [[nodiscard]] bool has_work() { return work_found_ && look_for_work(); }
  // Takes up the oldest request of a link. Returns the request, and its outcome if that is known
  // already; valid until the next call.
  const Applied& apply(LinkIndex link, TimePoint now);

  // The connection of a link has ended: its watches go, and the session's clock runs. Its first
  // `strays` requests have been read by the server and will be taken up later, although no client
  // waits for them any more.
  void connection_ended(LinkIndex link, TimePoint now, std::uint32_t strays = 0);
  // Returns the requests that such connections have left. They are dropped if the session moves to
  // another server.
  [[nodiscard]] const Strays& strays() const { return strays_; }
  const Applied& apply_stray(std::uint32_t index, TimePoint now);

  // Expiry, first stage: the leader has decided. From now on the session's requests are dropped.
  // Fires by itself, through a timer, for a session without connection. `noticed_as` is what a
  // client that is connected will take the end of its connection for.
  void decide_expiry(SessionIndex session, Error noticed_as = Error::kConnectionLoss) {
    leader_.sessions().decide_end(session, noticed_as);
  }
  [[nodiscard]] const SessionTable& sessions() const { return leader_.sessions(); }
  // Returns the identities that the connection of a link has authenticated.
  [[nodiscard]] std::span<const Identity> identities(LinkIndex link) const {
    return connections_.identities(link);
  }
  // When the leader would expire a session that it hears nothing of from `silence` on.
  [[nodiscard]] TimePoint expiry_time(SessionIndex session, TimePoint silence) const {
    return leader_.sessions().expiry_time(session, silence);
  }
  // Expiry, second stage: the sessions whose end is decided and not yet committed.
  [[nodiscard]] std::span<const SessionIndex> closing() const { return sessions().closing(); }
  // Deletes the session's ephemerals in one transaction and ends its connection. The client learns
  // of it at its next handshake: the third stage.
  void finish_close(SessionIndex session, TimePoint now);

  // Containers and znodes whose time has come, found by the servers and not yet deleted.
  [[nodiscard]] std::span<const PathId> reaping() const { return leader_.reaper().found(); }
  void finish_reaping(std::uint32_t index, TimePoint now);

  // Replicas. One that lags applies the leader's log entry by entry, when told to.
  [[nodiscard]] ReplicaIndex replica_count() const { return options_.replicas; }
  [[nodiscard]] const Replica& replica(ReplicaIndex index) const { return replicas_[index]; }
  void set_lagging(ReplicaIndex index, bool lagging, TimePoint now);
  [[nodiscard]] bool can_replicate(ReplicaIndex index) const {
    return !replicas_[index].unreachable && !replicas_[index].held &&
           replicas_[index].applied < leader_.log().size();
  }
  void replicate(ReplicaIndex index, TimePoint now);
  // By hand: a replica falls behind, and applies nothing until it is let go or the leader changes.
  // The servers must be an ensemble.
  void hold_replica(ReplicaIndex index, bool held, TimePoint now);
  // The replica loses its leader. It goes on serving reads, and the sessions it serves fall silent
  // for the leader; after the sync limit it drops its clients, and comes back.
  void isolate(ReplicaIndex index, TimePoint now);
  // No replica lags or is without its leader any more.
  void heal(TimePoint now);
  // A new leader: every connection ends, a new epoch begins, every session's clock starts again.
  void change_leader(TimePoint now);
  // How many of the newest writes the servers could forget together with their leader: at most
  // kMostForgotten, all newer than the last session that began or ended, than the last counter
  // that was wound, and than what keep_log() keeps.
  static constexpr std::uint32_t kMostForgotten = LeaderLog::kMostForgotten;
  [[nodiscard]] std::uint32_t forgettable() const { return leader_.log().forgettable(); }
  // A change of the leader, after which the last `writes` writes never happened (Z119). Trees and
  // ephemerals are those of the log without them; sessions and their clocks stay.
  void forget_writes(std::uint32_t writes, TimePoint now);
  // No server forgets what has been committed so far.
  void keep_log() { leader_.keep_log(); }
  [[nodiscard]] ReplicaIndex replica_of(LinkIndex link) const { return connections_[link].replica; }

  // Whether the leader hears of the session of this connection, and keeps it alive.
  [[nodiscard]] bool hears(LinkIndex link) const;
  // A connected client stops sending anything, even pings; or starts again.
  void begin_silence(LinkIndex link, TimePoint now);
  void end_silence(LinkIndex link);
  // The ephemerals of a session, in order of creation.
  [[nodiscard]] std::span<const PathId> ephemerals(SessionIndex session) const {
    return sessions()[session].ephemerals;
  }
  // An operator, who is not part of the program, creates a znode: false if the servers refuse it.
  bool create_as_operator(const Request& request, TimePoint now);
  // An operator deletes an ephemeral znode.
  void remove_as_operator(PathId path, TimePoint now);
  // Containers that the servers could reap now, in order of creation.
  [[nodiscard]] PathList reapable() const;
  // Parents whose counter can still be moved to its end, which it never leaves; none if a replica
  // lags.
  [[nodiscard]] PathList windable() const;
  static constexpr std::int32_t kLastNumber = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int32_t kMostCreatesLeft = 3;
  void reap(PathId path, TimePoint now);

  // Answers the next `requests` requests of a link with kThrottledOp instead of executing them,
  // like a server that limits its load (RequestThrottler). Requests that concern the connection are
  // not limited.
  void throttle(LinkIndex link, std::uint32_t requests) { throttle_ = {link, requests}; }

  // The parent's counter is moved to where many creates and deletes would have brought it.
  void wind_sequence(PathId parent, std::int32_t children_created);

  [[nodiscard]] const ServerOptions& options() const { return options_; }
  [[nodiscard]] SessionIndex session_count() const { return sessions().size(); }
  [[nodiscard]] bool session_alive(SessionIndex session) const { return sessions().alive(session); }
  [[nodiscard]] SessionId session_id(SessionIndex session) const { return sessions()[session].id; }
  [[nodiscard]] bool session_alive(SessionId id) const {
    return sessions().alive(sessions().find(id));
  }
  // The session served over a link, if any.
  static constexpr SessionIndex kNoSession = fakezk::kNoSession;
  static constexpr LinkIndex kNoLink = fakezk::kNoLink;
  [[nodiscard]] SessionIndex session_of(LinkIndex link) const {
    return connections_.session_of(link);
  }
  [[nodiscard]] LinkIndex link_of(SessionIndex session) const { return sessions()[session].link; }

  // Returns the tree of all committed transactions.
  [[nodiscard]] const ZnodeTree& tree() const { return replicas_.committed(); }
  [[nodiscard]] const PathTable& paths() const { return *paths_; }
  // For callers that hold numbers of paths, which are valid as long as the table.
  [[nodiscard]] const std::shared_ptr<PathTable>& path_table() const { return paths_; }
  // For senders: a message carries the number of its path.
  [[nodiscard]] PathTable& paths() { return *paths_; }
  [[nodiscard]] const AclTable& acls() const { return acls_; }
  [[nodiscard]] const History& history() const { return leader_.history(); }
  // Returns the transactions that a replica has yet to apply.
  [[nodiscard]] std::span<const Txn> outstanding(ReplicaIndex index) const {
    return leader_.log().after(replicas_[index].applied);
  }
  [[nodiscard]] Zxid last_zxid() const { return leader_.zxid(); }
  // The last zxid of the server that a session is connected to; without a connection, of the
  // leader.
  [[nodiscard]] Zxid last_zxid_for(SessionId id) const;

 private:
  using Connection = Connections::Connection;
  class Rejoin final : public Timer {
   public:
    void run() override { server->rejoin(replica, due); }
    Server* server = nullptr;
    ReplicaIndex replica = 0;
  };

  [[nodiscard]] bool look_for_work();
  [[nodiscard]] bool replica_can_apply(LinkIndex link) const;
  void record_taking_up(LinkIndex link);
  void record_replicas();
  void greet(LinkIndex link, const Handshake& handshake, TimePoint now);
  [[nodiscard]] ReplicaIndex pick_replica(LinkIndex link, Zxid seen);
  [[nodiscard]] bool behind(ReplicaIndex index, Zxid seen) const;
  [[nodiscard]] Duration negotiated(Duration asked) const;
  void open_session(LinkIndex link, SessionIndex session, TimePoint now);
  void reopen_session(LinkIndex link, const Handshake& handshake, TimePoint now);
  void welcome(LinkIndex link, SessionIndex session);
  void refuse(LinkIndex link);
  void drop(LinkIndex link, TimePoint now, std::size_t received, Error noticed_as);
  void set_watches(LinkIndex link, const WatchedPaths& watched);
  void answer_query(LinkIndex link, const Query& query, TimePoint now);
  // Whether a server drops a request of a session that is being closed, and all later ones.
  [[nodiscard]] bool decide_drop(LinkIndex link);
  [[nodiscard]] std::optional<Reply> reply_unless_dropped(LinkIndex link);
  void refuse_unlogged(LinkIndex link, SessionIndex session, const Request& request, TimePoint now);
  void add_identity(LinkIndex link, const Request& request, TimePoint now);
  void refuse_moved(LinkIndex link, SessionIndex session, OpCode op, TimePoint now);
  void keep_strays(LinkIndex link, std::uint32_t count);
  void apply_strays(SessionIndex session, TimePoint now);
  [[gnu::cold]] void drop_too_long(LinkIndex link, const ClientMessage& message, TimePoint now);
  inline void process_message(LinkIndex link, const ClientMessage& message, TimePoint now);
  // Handles the messages that are no requests: a handshake, SetWatches, or a query.
  [[gnu::noinline]] void process_other_message(LinkIndex link, const ClientMessage& message,
                                               TimePoint now);
  [[gnu::noinline]] void serve_ended(LinkIndex link, SessionIndex session,
                                     const ClientMessage& message, TimePoint now);
  void close_ended(LinkIndex link, SessionIndex session, TimePoint now);
  [[gnu::cold]] void refuse_throttled(LinkIndex link, OpCode op);
  inline void serve(LinkIndex link, SessionIndex session, const ClientMessage& message,
                    TimePoint now);
  inline void read(LinkIndex link, const ClientMessage& message);
  // Creates a reply from that replica in the link's inbox, for the caller to fill in there: every
  // request has one, so a copy would cost time.
  [[gnu::always_inline]] Reply& open_reply(const Replica& from, LinkIndex link, OpCode op) {
    return network_.answer(link, op, from.last_zxid).reply;
  }

  // Returns `txn` as one whose answer the client of that connection waits for.
  [[nodiscard]] Txn with_origin(LinkIndex origin, Txn txn) const;
  inline void write(Txn txn, const Identities& identities, const ClientMessage& message,
                    TimePoint now);
  void commit(Txn& txn, TimePoint now);
  inline void apply_txn(ReplicaIndex index, const Txn& txn, TimePoint now);
  inline void apply_change(Replica& replica, const Change& change, const Txn& txn);
  // Applies a multi whose client waits for the result of each operation.
  [[gnu::noinline]] void apply_multi(Replica& replica, const Txn& txn);
  void close_connections(ReplicaIndex index, SessionIndex session, TimePoint now);
  inline void answer(const Replica& replica, const Txn& txn);
  void catch_up(ReplicaIndex index, TimePoint now);
  void apply_log_again();
  void rejoin(ReplicaIndex index, TimePoint now);
  void send_event(const Replica::Fired& fired);

  Network& network_;
  std::span<internal::TimerQueue> rejoin_timers_;
  Unspecified& unspecified_;
  ServerOptions options_;
  std::shared_ptr<PathTable> paths_;
  AclTable acls_;
  std::deque<Rejoin> rejoins_;  // One per replica.
  Replicas replicas_;
  // Whether work may have come up since the last search found none. Cached because every step asks,
  // and there is rarely any.
  bool work_found_ = true;
  Leader leader_;
  Connections connections_;
  Strays strays_;
  Throttle throttle_;
  Applied applied_;  // What apply() returns.
  FootprintRecorder* recorder_ = nullptr;
};

inline Txn Server::with_origin(LinkIndex origin, Txn txn) const {
  txn.origin = origin;
  txn.connection = connections_[origin].number;
  return txn;
}

struct Server::Checkpoint {
  AclTable acls;
  Replicas::Checkpoint replicas;
  Leader::Checkpoint leader;
  Connections connections;
};

}  // namespace lockstep::fakezk
