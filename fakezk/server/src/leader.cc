#include "lockstep/fakezk/leader.h"

#include <algorithm>
#include <cstddef>
#include <expected>

namespace lockstep::fakezk {

Leader::Leader(ServerTimers& timers, Unspecified& unspecified, ZnodeTree& tree, AclTable& acls,
               const ServerOptions& options, bool& work_found)
    : options_(options),
      unspecified_(unspecified),
      tree_(tree),
      sessions_(timers.expiries, options, work_found),
      preparation_(acls, unspecified, history_),
      reaper_(timers.container_checks, tree, unspecified, options.container_check_interval,
              work_found) {}

void Leader::reset(const std::shared_ptr<PathTable>& paths) {
  paths_ = paths;
  preparation_.serve(tree_, *paths_, options_.ttl_enabled);
  sessions_.reset();
  reaper_.reset();
  history_.clear();
  log_.clear();
  // An ensemble's first leader has epoch 1; a standalone server has no epochs.
  zxid_ = options_.is_ensemble() ? Zxid{1} << kEpochShift : 0;
}

void Leader::reset_to(const Checkpoint& checkpoint) {
  sessions_.reset_to(checkpoint.sessions);
  reaper_.reset();
  history_ = checkpoint.history;
  log_ = checkpoint.log;
  zxid_ = checkpoint.zxid;
}

void Leader::prepare(Txn& txn, const Identities& identities, const ClientMessage& message) {
  const Request& request = message.request;
  if (request.op == OpCode::kClose) return prepare_close(txn);
  preparation_.begin({sessions_[txn.session].id, identities.list(), txn.zxid});
  if (request.op == OpCode::kMulti) return prepare_multi(txn, request.ops());
  const std::expected<void, Error> prepared = preparation_.prepare(request, message.path);
  if (prepared) return;
  txn.has_error = true;
  txn.error = prepared.error();
}

// One transaction, one zxid, however many ephemerals (PrepRequestProcessor, closeSession).
void Leader::prepare_close(Txn& txn) {
  preparation_.begin({0, {}, txn.zxid});
  // ZooKeeper deletes them in the order of a hash set, which the watch events show.
  std::vector<PathId>& ephemerals = sessions_[txn.session].ephemerals;
  unspecified_.shuffle(ephemerals);
  for (const PathId id : ephemerals) preparation_.remove_ephemeral(id);
}

// The leader checks the session of each operation, not that of the multi
// (PrepRequestProcessor.pRequestHelper), and reads the operation first.
void Leader::prepare_ended(Txn& txn, const Request& request) {
  const bool is_multi = request.op == OpCode::kMulti;
  txn.has_error = !is_multi || !request.ops().empty();
  if (!txn.has_error) return;
  const Request& first = is_multi ? request.ops().front() : request;
  txn.error = asks_for_session(first) ? Error::kSessionExpired : refusal_of(first);
  // An operation that cannot be read fails the whole multi.
  if (is_multi && txn.error != Error::kMarshallingError) txn.failed_op = 0;
}

void Leader::prepare_multi(Txn& txn, const std::vector<Request>& ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const PathId path = paths_->intern(ops[i].path.text());
    const std::expected<void, Error> prepared = preparation_.prepare(ops[i], path);
    if (prepared) continue;
    txn.has_error = true;
    txn.error = prepared.error();
    // An operation that cannot be read fails the whole multi.
    if (txn.error != Error::kMarshallingError) txn.failed_op = static_cast<std::int32_t>(i);
    return preparation_.forget_changes();
  }
}

void Leader::prepare_reaping(Txn& txn, PathId path) {
  preparation_.begin({0, {}, txn.zxid});
  txn.has_error = !preparation_.reap(path).has_value();
}

void Leader::prepare_create(Txn& txn, const Request& request) {
  preparation_.begin({kOperator, {}, txn.zxid});
  const PathId path = paths_->intern(request.path.text());
  txn.has_error = !preparation_.create(request, path).has_value();
}

void Leader::prepare_removal(Txn& txn, PathId ephemeral) {
  preparation_.begin({kOperator, {}, txn.zxid});
  preparation_.remove_ephemeral(ephemeral);
}

[[gnu::always_inline]] inline void Leader::follow(const Change& change, TimePoint now) {
  const bool comes = change.kind == Change::Kind::kCreated;
  const bool goes = change.kind == Change::Kind::kDeleted;
  if (change.owner != 0 && (comes || goes)) {
    std::vector<PathId>& ephemerals = sessions_[sessions_.find(change.owner)].ephemerals;
    if (comes) {
      ephemerals.push_back(change.path);
    } else {
      // Once; the search begins with the oldest, which usually go first.
      const auto gone = std::ranges::find(ephemerals, change.path);
      if (gone != ephemerals.end()) ephemerals.erase(gone);
    }
  }
  if (options_.reaps()) reaper_.follow(change, paths_->parent(change.path), now);
}

void Leader::commit(Txn& txn, TimePoint now) {
  txn.change_count = history_.size() - txn.first_change;
  const std::span<const Change> changes = changes_of(txn);
  for (const Change& change : changes) follow(change, now);
  const bool closes = txn.op == OpCode::kClose && !txn.has_error;
  if (closes) sessions_.closed(txn.session);
  if (!options_.is_ensemble()) return;
  for (const Change& change : changes) tree_.apply(change, txn.time_ms);
  log_.add(txn);
  if (closes || txn.opens_session) keep_log();
}

void Leader::begin_epoch(TimePoint now) {
  zxid_ = ((zxid_ >> kEpochShift) + 1) << kEpochShift;
  sessions_.forget_decisions();
  for (SessionIndex session = 0; session < sessions_.size(); ++session) {
    if (!sessions_.alive(session)) continue;
    sessions_.end_silence(session);
    if (sessions_[session].link == kNoLink) sessions_.begin_silence(session, now);
  }
}

// Rebuilds the tree and the ephemerals from the log.
void Leader::apply_log_again(TimePoint now) {
  tree_.reset(paths_);
  for (SessionIndex session = 0; session < sessions_.size(); ++session) {
    sessions_[session].ephemerals.clear();
  }
  reaper_.reset();
  for (const Txn& txn : log_.all()) {
    for (const Change& change : changes_of(txn)) {
      follow(change, now);
      tree_.apply(change, txn.time_ms);
    }
  }
}

}  // namespace lockstep::fakezk
