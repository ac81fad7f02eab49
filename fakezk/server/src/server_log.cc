// How the replicas apply what the leader has committed.
#include <algorithm>
#include <utility>

#include "lockstep/fakezk/server.h"
#include "replica_objects.h"

namespace lockstep::fakezk {

[[gnu::always_inline]] inline void Server::answer(const Replica& replica, const Txn& txn) {
  if (txn.opens_session) return welcome(txn.origin, txn.session);
  Reply& reply = open_reply(replica, txn.origin, txn.op);
  if (txn.has_error) {
    reply.error = txn.error;
    reply.has_error = true;
    return;
  }
  const bool shows =
      txn.op == OpCode::kCreate || txn.op == OpCode::kSetData || txn.op == OpCode::kSetAcl;
  if (!shows) return;
  const PathId path = history()[txn.first_change].path;
  const ZnodeTree& tree = replica.tree();
  reply.set_stat(tree.stat(*tree.find(path)));
  if (txn.op == OpCode::kCreate) reply.path = paths_->path(path);
}

// Sends the watch events first: a session hears of its own change before the reply.
[[gnu::always_inline]] inline void Server::apply_change(Replica& replica, const Change& change,
                                                        const Txn& txn) {
  for (const Replica::Fired& fired : replica.apply(change, txn.time_ms)) send_event(fired);
}

void Server::apply_multi(Replica& replica, const Txn& txn) {
  ReplyDetails details = ReplyDetails::failed_at(txn.failed_op);
  for (const Change& change : leader_.changes_of(txn)) {
    apply_change(replica, change, txn);
    details.results.push_back(replica.result_of(change));
  }
  Reply& reply = open_reply(replica, txn.origin, txn.op);
  reply.error = txn.error;
  reply.has_error = txn.has_error;
  reply.set_details(std::move(details));
}

[[gnu::always_inline]] inline void Server::apply_txn(ReplicaIndex index, const Txn& txn,
                                                     TimePoint now) {
  Replica& replica = replicas_[index];
  if (txn.zxid != 0) replica.last_zxid = txn.zxid;
  if (recorder_ && options_.is_ensemble() && txn.origin != kNoLink) {
    recorder_->reads(ObjectKind::kLink, txn.origin);  // Its client may wait here.
  }
  const bool awaited = txn.origin != kNoLink && connections_[txn.origin].replica == index &&
                       connections_[txn.origin].number == txn.connection;
  if (awaited) --connections_[txn.origin].unanswered;
  if (awaited && txn.op == OpCode::kMulti) [[unlikely]] {
    return apply_multi(replica, txn);
  }
  for (const Change& change : leader_.changes_of(txn)) apply_change(replica, change, txn);
  if (awaited) answer(replica, txn);
  if (txn.op == OpCode::kClose && !txn.has_error) close_connections(index, txn.session, now);
}

void Server::commit(Txn& txn, TimePoint now) {
  if (recorder_ && options_.is_ensemble()) record_replicas();
  // The clock decides when a time to live begins and when the reaper looks next.
  if (recorder_ && reaps()) recorder_->reads(ObjectKind::kClock);
  leader_.commit(txn, now);
  if (txn.origin != kNoLink) ++connections_[txn.origin].unanswered;
  if (!options_.is_ensemble()) return apply_txn(0, txn, now);
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    if (!replicas_[index].lagging) catch_up(index, now);
  }
}

// The server ends the connection over which it served the session.
void Server::close_connections(ReplicaIndex index, SessionIndex session, TimePoint now) {
  const Error noticed_as = leader_.sessions()[session].noticed_as;
  for (LinkIndex link = 0; link < connections_.size(); ++link) {
    if (connections_[link].session != session || connections_[link].replica != index) continue;
    drop(link, now, network_.at(link).inbox.size(), noticed_as);
  }
}

void Server::catch_up(ReplicaIndex index, TimePoint now) {
  while (can_replicate(index)) replicate(index, now);
}

void Server::replicate(ReplicaIndex index, TimePoint now) {
  if (recorder_) {
    recorder_->writes(ObjectKind::kReplica, index);
    recorder_->reads(ObjectKind::kLog, entry_of_log(replicas_[index].applied));
  }
  const Txn txn = leader_.log()[replicas_[index].applied++];
  apply_txn(index, txn, now);
}

void Server::set_lagging(ReplicaIndex index, bool lagging, TimePoint now) {
  if (recorder_) record_condition(*recorder_, index);
  replicas_[index].lagging = lagging;
  if (!lagging) catch_up(index, now);
}

void Server::hold_replica(ReplicaIndex index, bool held, TimePoint now) {
  replicas_[index].held = held;
  set_lagging(index, held, now);
}

// The replica reports its sessions' touches to the leader with its answer to a ping, every half
// tick (LearnerHandler); touches since the last report are lost. Here the leader has waited that
// long.
void Server::isolate(ReplicaIndex index, TimePoint now) {
  Replica& replica = replicas_[index];
  if (recorder_) record_condition(*recorder_, index);
  if (replica.unreachable) return;
  replica.unreachable = true;
  strays_.drop(index);
  for (LinkIndex link = 0; link < connections_.size(); ++link) {
    const Connection& served = connections_[link];
    if (served.session == kNoSession || served.replica != index) continue;
    const SessionTable::Session& known = leader_.sessions()[served.session];
    if (known.link != link) continue;
    const TimePoint told = std::max(known.greeted, now - options_.tick_time / 2);
    leader_.sessions().begin_silence(served.session, told);
  }
  rejoin_timers_[index].push(rejoins_[index], now + options_.sync_limit_ticks * options_.tick_time);
}

// Without its leader for too long, the replica shuts down its clients' connections and looks for
// the leader again (Follower.followLeader, Learner.shutdown). On each connection, a part of what it
// has sent arrives.
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

void Server::heal(TimePoint now) {
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    hold_replica(index, false, now);
    if (!replicas_[index].unreachable) continue;
    rejoin_timers_[index].erase(rejoins_[index]);
    rejoin(index, now);
  }
}

void Server::change_leader(TimePoint now) {
  if (recorder_) recorder_->touches_everything();
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    replicas_[index].unreachable = false;
    replicas_[index].held = false;
    rejoin_timers_[index].erase(rejoins_[index]);
    catch_up(index, now);
  }
  strays_.clear();
  leader_.begin_epoch(now);
  replicas_.advance_to(leader_.zxid());  // The leader's first proposal has this zxid.
}

void Server::forget_writes(std::uint32_t writes, TimePoint now) {
  if (recorder_) recorder_->touches_everything();
  change_leader(now);
  if (leader_.log().end_without(writes) == leader_.log().size()) return;
  const std::vector<Leader::Counter> counters = leader_.forget(writes, now);
  apply_log_again();
  for (const Leader::Counter& counter : counters) {
    wind_sequence(counter.parent, counter.children_created);
  }
}

void Server::apply_log_again() {
  for (Replica& replica : replicas_) {
    const bool lagging = replica.lagging;
    replica.reset(paths_);
    for (const Txn& txn : leader_.log().all()) {
      for (const Change& change : leader_.changes_of(txn)) {
        replica.tree().apply(change, txn.time_ms);
      }
    }
    replica.applied = leader_.log().size();
    replica.last_zxid = leader_.zxid();
    replica.lagging = lagging;
  }
}

}  // namespace lockstep::fakezk
