#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/leader_log.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/preparation.h"
#include "lockstep/fakezk/reaper.h"
#include "lockstep/fakezk/server_options.h"
#include "lockstep/fakezk/server_timers.h"
#include "lockstep/fakezk/session_table.h"
#include "lockstep/fakezk/txn.h"
#include "lockstep/fakezk/unspecified.h"

namespace lockstep::fakezk {

// The leader: it gives every transaction its zxid, finds out what it changes, and follows what has
// been committed: the history, the sessions with their ephemerals, the znodes to be reaped, and,
// for an ensemble, the log and a tree that is ahead of the replicas that lag. A standalone server
// is its own leader; its replica applies everything at once, and there is no log.
class Leader {
 public:
  // `tree` is that of all committed transactions. `work_found` is set when there is something to
  // close or to reap.
  Leader(ServerTimers& timers, Unspecified& unspecified, ZnodeTree& tree, AclTable& acls,
         const ServerOptions& options, bool& work_found);
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  void reset(const std::shared_ptr<PathTable>& paths);
  struct Checkpoint {
    SessionTable::Checkpoint sessions;
    History history;
    LeaderLog log;
    Zxid zxid;
  };
  // While at_rest() only.
  [[nodiscard]] Checkpoint checkpoint() const {
    return {sessions_.checkpoint(), history_, log_, zxid_};
  }
  [[nodiscard]] bool at_rest() const { return sessions_.closing().empty() && reaper_.idle(); }
  void reset_to(const Checkpoint& checkpoint);
  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder) { sessions_.record_into(recorder); }

  // -- One transaction: it begins, is prepared, and is committed.
  [[nodiscard]] Txn begin(OpCode op, SessionIndex session, TimePoint now);
  // An answer with an error whose zxid no transaction has (PrepRequestProcessor.pRequestHelper,
  // where getPendingChanges fails before there is a header).
  [[nodiscard]] Txn begin_unlogged(SessionIndex session, TimePoint now, Error error);
  // A session's first, without changes.
  [[nodiscard]] Txn begin_session(SessionIndex session, TimePoint now);
  // Each adds the changes of the transaction to the history, or makes it a failed one.
  void prepare(Txn& txn, const Identities& identities, const ClientMessage& message);
  void prepare_close(Txn& txn);
  // A write of a session whose end is decided: it fails, unless it is an empty multi.
  static void prepare_ended(Txn& txn, const Request& request);
  void prepare_reaping(Txn& txn, PathId path);
  // For a client that does not belong to the program.
  void prepare_create(Txn& txn, const Request& request);
  void prepare_removal(Txn& txn, PathId ephemeral);
  // The znode of the operation that was prepared last.
  [[nodiscard]] PathId prepared_path() const { return preparation_.path(); }
  void commit(Txn& txn, TimePoint now);
  // The changes of a transaction that has been committed.
  [[nodiscard]] std::span<const Change> changes_of(const Txn& txn) const {
    return {history_.data() + txn.first_change, txn.change_count};
  }

  // A new leader: a new epoch begins, and every session's clock starts again.
  void begin_epoch(TimePoint now);
  // A parent's counter, from which the sequence numbers of its children are made.
  struct Counter {
    PathId parent;
    Zxid czxid;
    std::int32_t children_created;
  };
  // Forgets the last `writes` writes, of which there must be one (Z119): log, tree and ephemerals
  // are those without them; sessions and their clocks stay. Returns the counters that have to be
  // wound in every tree, because the log does not say how far they had come.
  [[nodiscard]] std::vector<Counter> forget(std::uint32_t writes, TimePoint now);
  // No server forgets what has been committed so far.
  void keep_log() { log_.keep(); }

  // -- What has been committed.
  [[nodiscard]] SessionTable& sessions() { return sessions_; }
  [[nodiscard]] const SessionTable& sessions() const { return sessions_; }
  [[nodiscard]] Reaper& reaper() { return reaper_; }
  [[nodiscard]] const Reaper& reaper() const { return reaper_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const LeaderLog& log() const { return log_; }
  [[nodiscard]] Zxid zxid() const { return zxid_; }

 private:
  static constexpr int kEpochShift = 32;  // A zxid is the leader's epoch, then a counter.

  void prepare_multi(Txn& txn, const std::vector<Request>& ops);
  inline void follow(const Change& change, TimePoint now);
  void apply_log_again(TimePoint now);
  [[nodiscard]] std::vector<Counter> counters_before(std::size_t first_change) const;

  const ServerOptions& options_;
  Unspecified& unspecified_;
  ZnodeTree& tree_;
  std::shared_ptr<PathTable> paths_;
  SessionTable sessions_;
  Preparation preparation_;
  Reaper reaper_;
  History history_;
  LeaderLog log_;  // For an ensemble.
  Zxid zxid_ = 0;
};

inline Txn Leader::begin(OpCode op, SessionIndex session, TimePoint now) {
  Txn txn;
  txn.op = op;
  txn.session = session;
  txn.time_ms = wall_clock_ms(now);
  txn.first_change = history_.size();
  // Failed writes take a zxid as well; what only passes through the log does not.
  if (op != OpCode::kSync) txn.zxid = ++zxid_;
  return txn;
}

inline Txn Leader::begin_unlogged(SessionIndex session, TimePoint now, Error error) {
  Txn txn = begin(OpCode::kSync, session, now);
  ++zxid_;
  txn.has_error = true;
  txn.error = error;
  return txn;
}

inline Txn Leader::begin_session(SessionIndex session, TimePoint now) {
  Txn txn = begin(OpCode::kSync, session, now);
  txn.opens_session = true;
  txn.zxid = ++zxid_;
  return txn;
}

}  // namespace lockstep::fakezk
