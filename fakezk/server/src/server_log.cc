// The leader's log: what becomes of a write, and how it gets to the replicas.
#include <algorithm>
#include <utility>

#include "lockstep/fakezk/server.h"
#include "replica_objects.h"

namespace lockstep::fakezk {

[[gnu::always_inline]] inline void Server::follow(const Change& change, TimePoint now) {
  const bool comes = change.kind == Change::Kind::kCreated;
  const bool goes = change.kind == Change::Kind::kDeleted;
  if (change.owner != 0 && (comes || goes)) {
    std::vector<PathId>& ephemerals = sessions_[sessions_.find(change.owner)].ephemerals;
    if (comes) {
      ephemerals.push_back(change.path);
    } else {
      // Once, and the oldest go first.
      const auto gone = std::ranges::find(ephemerals, change.path);
      if (gone != ephemerals.end()) ephemerals.erase(gone);
    }
  }
  if (reaps()) reaper_.follow(change, paths_->parent(change.path), now);
}

[[gnu::always_inline]] inline void Server::answer(const Replica& replica, const Txn& txn) {
  if (txn.opens_session) return welcome(txn.origin, txn.session);
  Reply& reply = open_reply(replica, txn.origin, txn.op);
  if (txn.has_error) {
    reply.error = txn.error;
    reply.has_error = true;
    return;
  }
  if (txn.op != OpCode::kCreate && txn.op != OpCode::kSetData) return;
  const PathId path = history_[txn.first_change].path;
  const ZnodeTree& tree = replica.tree();
  reply.show(tree.stat(*tree.find(path)));
  if (txn.op == OpCode::kCreate) reply.path = paths_->path(path);
}

// First what it sets off: a session hears of its own change before the reply.
[[gnu::always_inline]] inline void Server::apply_change(Replica& replica, const Change& change,
                                                        const Txn& txn) {
  for (const Replica::Fired& fired : replica.apply(change, txn.time_ms)) send_event(fired);
}

void Server::apply_multi(Replica& replica, const Txn& txn) {
  ReplyDetails details = ReplyDetails::failed_at(txn.failed_op);
  for (const Change& change : changes_of(txn)) {
    apply_change(replica, change, txn);
    details.results.push_back(replica.result_of(change));
  }
  Reply& reply = open_reply(replica, txn.origin, txn.op);
  reply.error = txn.error;
  reply.has_error = txn.has_error;
  reply.say(std::move(details));
}

[[gnu::always_inline]] inline void Server::apply_txn(ReplicaIndex index, const Txn& txn,
                                                     TimePoint now) {
  Replica& replica = replicas_[index];
  if (txn.zxid != 0) replica.last_zxid = txn.zxid;
  if (recorder_ && leader_tree_ && txn.origin != kNoLink) {
    recorder_->reads(ObjectKind::kLink, txn.origin);  // Whether somebody waits for it here.
  }
  const bool awaited = txn.origin != kNoLink && connections_[txn.origin].replica == index &&
                       connections_[txn.origin].number == txn.connection;
  if (awaited && leader_tree_) --connections_[txn.origin].unanswered;
  if (awaited && txn.op == OpCode::kMulti) [[unlikely]] {
    return apply_multi(replica, txn);
  }
  for (const Change& change : changes_of(txn)) apply_change(replica, change, txn);
  if (awaited) answer(replica, txn);
  if (txn.op == OpCode::kClose && !txn.has_error) close_connections(index, txn.session, now);
}

void Server::commit(Txn& txn, TimePoint now) {
  if (recorder_ && leader_tree_) record_replicas();
  // From when on a time to live counts, and when the next search for what has outlived its own is.
  if (recorder_ && reaps()) recorder_->reads(ObjectKind::kClock);
  txn.change_count = history_.size() - txn.first_change;
  const std::span<const Change> changes = changes_of(txn);
  for (const Change& change : changes) follow(change, now);
  const bool closes = txn.op == OpCode::kClose && !txn.has_error;
  if (closes) sessions_.closed(txn.session);
  if (!leader_tree_) return apply_txn(0, txn, now);

  for (const Change& change : changes) leader_tree_->apply(change, txn.time_ms);
  if (txn.origin != kNoLink) ++connections_[txn.origin].unanswered;
  log_.add(txn);
  if (closes || txn.opens_session) keep_log();
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    if (!replicas_[index].lagging) catch_up(index, now);
  }
}

// The server ends the connection over which it served the session.
void Server::close_connections(ReplicaIndex index, SessionIndex session, TimePoint now) {
  const Error noticed_as = sessions_[session].noticed_as;
  const auto close = [&](LinkIndex link) {
    if (connections_[link].session != session || connections_[link].replica != index) return;
    drop(link, now, network_.at(link).inbox.size(), noticed_as);
  };
  if (!leader_tree_) {
    if (sessions_[session].link != kNoLink) close(sessions_[session].link);
    return;
  }
  for (LinkIndex link = 0; link < connections_.size(); ++link) close(link);
}

void Server::catch_up(ReplicaIndex index, TimePoint now) {
  while (can_replicate(index)) replicate(index, now);
}

void Server::replicate(ReplicaIndex index, TimePoint now) {
  if (recorder_) {
    recorder_->writes(ObjectKind::kReplica, index);
    recorder_->reads(ObjectKind::kLog, entry_of_log(replicas_[index].applied));
  }
  const Txn txn = log_[replicas_[index].applied++];
  apply_txn(index, txn, now);
}

void Server::set_lagging(ReplicaIndex index, bool lagging, TimePoint now) {
  if (recorder_) record_condition(*recorder_, index);
  replicas_[index].lagging = lagging;
  if (!lagging) catch_up(index, now);
}

// Touches that the replica has seen since it last told the leader are lost: it tells with its
// answer to a ping, every half tick (LearnerHandler). Here the leader has waited for one that long.
void Server::isolate(ReplicaIndex index, TimePoint now) {
  Replica& replica = replicas_[index];
  if (recorder_) record_condition(*recorder_, index);
  if (replica.unreachable) return;
  replica.unreachable = true;
  strays_.drop(index);
  for (LinkIndex link = 0; link < connections_.size(); ++link) {
    const Connection& served = connections_[link];
    if (served.session == kNoSession || served.replica != index) continue;
    const SessionTable::Session& known = sessions_[served.session];
    if (known.link != link) continue;
    const TimePoint told = std::max(known.greeted, now - options_.tick_time / 2);
    sessions_.fall_silent(served.session, told);
  }
  rejoin_timers_[index].push(rejoins_[index], now + options_.sync_limit_ticks * options_.tick_time);
}

// Without its leader for too long, the replica shuts down its clients' connections and looks for
// the leader again (Follower.followLeader, Learner.shutdown); of what it has sent on each of them,
// a part arrives.
void Server::rejoin(ReplicaIndex index, TimePoint now) {
  if (recorder_) record_condition(*recorder_, index);
  replicas_[index].unreachable = false;
  for (LinkIndex link = 0; link < connections_.size(); ++link) {
    if (connections_[link].replica != index || !network_.at(link).open) continue;
    const auto items = static_cast<std::uint32_t>(network_.at(link).inbox.size());
    const std::uint32_t lost = unspecified_.number(items + 1);
    drop(link, now, items - lost, Error::kConnectionLoss);
  }
  catch_up(index, now);
}

void Server::mend(TimePoint now) {
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    set_lagging(index, false, now);
    if (!replicas_[index].unreachable) continue;
    rejoin_timers_[index].erase(rejoins_[index]);
    rejoin(index, now);
  }
}

void Server::change_leader(TimePoint now) {
  if (recorder_) recorder_->touches_everything();
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    replicas_[index].unreachable = false;
    rejoin_timers_[index].erase(rejoins_[index]);
    catch_up(index, now);
  }
  zxid_ = ((zxid_ >> kEpochShift) + 1) << kEpochShift;
  for (Replica& replica : replicas_) replica.last_zxid = zxid_;  // The leader's first proposal.
  strays_.clear();
  sessions_.forget_decisions();
  for (SessionIndex session = 0; session < sessions_.size(); ++session) {
    if (!sessions_.alive(session)) continue;
    sessions_.speak_up(session);
    if (sessions_[session].link == kNoLink) sessions_.fall_silent(session, now);
  }
}

// Trees and ephemerals become those of the log.
void Server::apply_log_again(TimePoint now) {
  leader_tree_->reset(paths_);
  for (SessionIndex session = 0; session < sessions_.size(); ++session) {
    sessions_[session].ephemerals.clear();
  }
  reaper_.reset();
  for (const Txn& txn : log_.all()) {
    for (const Change& change : changes_of(txn)) {
      follow(change, now);
      leader_tree_->apply(change, txn.time_ms);
    }
  }
  for (Replica& replica : replicas_) {
    const bool lagging = replica.lagging;
    replica.reset(paths_);
    for (const Txn& txn : log_.all()) {
      for (const Change& change : changes_of(txn)) replica.tree().apply(change, txn.time_ms);
    }
    replica.applied = log_.size();
    replica.last_zxid = zxid_;
    replica.lagging = lagging;
  }
}

}  // namespace lockstep::fakezk
