#include "lockstep/fakezk/server.h"

#include <algorithm>
#include <utility>

#include "replica_objects.h"

namespace lockstep::fakezk {

Server::Server(Network& network, ServerTimers& timers, Unspecified& unspecified,
               std::shared_ptr<PathTable> paths, ServerOptions options)
    : network_(network),
      rejoin_timers_(timers.rejoins),
      unspecified_(unspecified),
      options_(options),
      paths_(paths),
      sessions_(timers.expiries, options.tick_time, work_found_),
      preparation_(acls_, unspecified, history_),
      reaper_(timers.container_checks,
              options.replicas > 1 ? *(leader_tree_ = std::make_unique<ZnodeTree>(paths))
                                   : make_replica(paths).tree(),
              unspecified, options.container_check_interval, work_found_) {
  while (replicas_.size() < options.replicas) make_replica(paths);
  reset(std::move(paths));
}

Replica& Server::make_replica(const std::shared_ptr<PathTable>& paths) {
  replicas_.reserve(options_.replicas);  // Each stays where it is: others refer to it.
  Rejoin& rejoin = rejoins_.emplace_back();
  rejoin.server = this;
  rejoin.replica = static_cast<ReplicaIndex>(replicas_.size());
  return replicas_.emplace_back(paths, acls_, unspecified_);
}

void Server::reset(std::shared_ptr<PathTable> paths) {
  paths_ = std::move(paths);
  acls_.reset();
  if (leader_tree_) leader_tree_->reset(paths_);
  for (Replica& replica : replicas_) replica.reset(paths_);
  preparation_.serve(tree(), *paths_, options_.ttl_enabled);
  for (Rejoin& rejoin : rejoins_) rejoin_timers_[rejoin.replica].erase(rejoin);
  sessions_.reset();
  reaper_.reset();
  connections_.clear();
  strays_.clear();
  throttled_requests_ = 0;
  history_.clear();
  log_.clear();
  // An ensemble's first leader has the epoch 1; a standalone server knows no epochs.
  zxid_ = options_.replicas > 1 ? Zxid{1} << kEpochShift : 0;
  for (Replica& replica : replicas_) replica.last_zxid = zxid_;
}

bool Server::look_for_work() {
  work_found_ = leader_tree_ || !closing().empty() || !reaping().empty() || !strays_.empty();
  return work_found_;
}

bool Server::at_rest() const {
  return strays_.empty() && closing().empty() && reaper_.idle() &&
         std::ranges::all_of(replicas_, [](const Replica& replica) {
           return !replica.unreachable && !replica.data_watches().any() &&
                  !replica.child_watches().any();
         });
}

Server::Checkpoint Server::checkpoint() const {
  Checkpoint checkpoint{.acls = acls_,
                        .replicas = {},
                        .leader_tree = {},
                        .sessions = sessions_.checkpoint(),
                        .connections = connections_,
                        .history = history_,
                        .log = log_,
                        .zxid = zxid_};
  for (const Replica& replica : replicas_) {
    checkpoint.replicas.push_back(
        {replica.tree().checkpoint(), replica.last_zxid, replica.applied, replica.lagging});
  }
  if (leader_tree_) checkpoint.leader_tree = leader_tree_->checkpoint();
  return checkpoint;
}

void Server::reset_to(const Checkpoint& checkpoint) {
  acls_.reset_to(checkpoint.acls);
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    const ReplicaCheckpoint& kept = checkpoint.replicas[index];
    Replica& replica = replicas_[index];
    replica.forget_all();
    replica.tree().reset_to(kept.tree);
    replica.last_zxid = kept.last_zxid;
    replica.applied = kept.applied;
    replica.lagging = kept.lagging;
    if (std::exchange(replica.unreachable, false)) rejoin_timers_[index].erase(rejoins_[index]);
  }
  if (leader_tree_) {
    leader_tree_->reset_to(*checkpoint.leader_tree);
    log_ = checkpoint.log;
  }
  sessions_.reset_to(checkpoint.sessions);
  reaper_.reset();
  connections_ = checkpoint.connections;
  strays_.clear();
  throttled_requests_ = 0;
  history_ = checkpoint.history;
  zxid_ = checkpoint.zxid;
}

void Server::record_into(FootprintRecorder* recorder) {
  recorder_ = recorder;
  sessions_.record_into(recorder);
  strays_.record_into(recorder);
  std::uint32_t tree = 0;
  if (leader_tree_) leader_tree_->record_into(recorder, tree++);
  for (Replica& replica : replicas_) replica.record_into(recorder, tree++);
}

// The effect of a write depends on which replicas lag or are cut off, and on whether any is, but
// not on how far they have come.
void Server::record_replicas() {
  bool behind = false;
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    recorder_->reads(ObjectKind::kReplica, condition_of(index));
    behind = behind || replicas_[index].lagging || replicas_[index].unreachable;
  }
  if (!behind) return;
  recorder_->writes(ObjectKind::kLog, kEndOfLog);
  recorder_->writes(ObjectKind::kLog, entry_of_log(log_.size()));
}

namespace {

// A read shows how far its server has come, and waits for it; who connects looks at all of them.
bool sees(const ClientMessage& message, bool its_own) {
  if (message.kind == ClientMessage::Kind::kHandshake) return true;
  const bool reads =
      message.kind == ClientMessage::Kind::kSetWatches || is_read(message.request.op);
  return reads && its_own;
}

}  // namespace

bool Server::replica_can_apply(LinkIndex link) const {
  const ClientMessage& message = network_.at(link).requests.front();
  if (message.kind == ClientMessage::Kind::kHandshake) {
    return std::ranges::any_of(replicas_, [&](const Replica& replica) {
      return !replica.unreachable && replica.last_zxid >= message.handshake().last_zxid_seen;
    });
  }
  const Connection& connection = connections_[link];
  if (message.kind == ClientMessage::Kind::kSetWatches || is_read(message.request.op)) {
    return connection.unanswered == 0;
  }
  return message.request.op == OpCode::kAddAuth || !replicas_[connection.replica].unreachable;
}

void Server::record_taking_up(LinkIndex link) {
  for (ReplicaIndex index = 0; index < options_.replicas; ++index) {
    recorder_->reads(ObjectKind::kReplica, condition_of(index));
    const bool its_own = connections_.has(link) && connections_[link].replica == index;
    if (sees(network_.at(link).requests.front(), its_own)) {
      recorder_->reads(ObjectKind::kReplica, index);
    }
  }
}

void Server::send_event(const Replica::Fired& fired) {
  const Connection& told = connections_[fired.link];
  // Whether it may hear of it depends on who it has shown to be.
  if (recorder_) recorder_->reads(ObjectKind::kLink, fired.link);
  if (!acls_.allows(fired.acl, permission::kRead, told.identities.list())) return;
  ServerMessage& event = network_.answer(fired.link, ServerMessage::Kind::kWatchEvent);
  event.event = fired.type;
  event.path = fired.path;
  event.zxid = replicas_[told.replica].last_zxid;
  event.reply.path = paths_->path(fired.path);
}

void Server::connection_ended(LinkIndex link, TimePoint now, std::uint32_t strays) {
  if (!connections_.has(link)) return;
  if (recorder_) recorder_->writes(ObjectKind::kLink, link);
  if (strays > 0) keep_strays(link, strays);
  replicas_[connections_[link].replica].forget(link);
  const SessionIndex session = connections_.ended(link);
  if (session == kNoSession || sessions_[session].link != link) return;
  sessions_[session].link = kNoLink;
  sessions_.fall_silent(session, now);
}

void Server::drop(LinkIndex link, TimePoint now, std::size_t received, Error noticed_as) {
  connection_ended(link, now);
  network_.disconnect(link, received, noticed_as);
}

void Server::finish_close(SessionIndex session, TimePoint now) {
  Txn txn = begin_txn(OpCode::kClose, session, kNoLink, now);
  prepare_close(txn, session);
  commit(txn, now);
}

void Server::finish_reaping(std::uint32_t index, TimePoint now) { reap(reaper_.take(index), now); }

void Server::reap(PathId path, TimePoint now) {
  Txn txn = begin_txn(OpCode::kRemove, kNoSession, kNoLink, now);
  preparation_.begin({0, {}, txn.zxid});
  txn.has_error = !preparation_.reap(path).has_value();
  commit(txn, now);
}

bool Server::create_as_operator(const Request& request, TimePoint now) {
  Txn txn = begin_txn(OpCode::kCreate, kNoSession, kNoLink, now);
  preparation_.begin({kOperator, {}, txn.zxid});
  const PathId path = paths_->intern(request.path.text());
  txn.has_error = !preparation_.create(request, path).has_value();
  commit(txn, now);
  return !txn.has_error;
}

void Server::remove_as_operator(PathId path, TimePoint now) {
  Txn txn = begin_txn(OpCode::kRemove, kNoSession, kNoLink, now);
  preparation_.begin({kOperator, {}, txn.zxid});
  preparation_.remove_ephemeral(path);
  commit(txn, now);
}

namespace {

bool is_parent(const Znode& znode) { return znode.children_created != 0; }

// A container counts once it has had a child (ContainerManager.getCandidates).
bool is_reapable(const Znode& znode) {
  return is_parent(znode) && znode.lifetime == Lifetime::kContainer && znode.children.empty();
}

bool is_windable(const Znode& znode) {
  return is_parent(znode) &&
         znode.children_created <= Server::kLastNumber - Server::kMostCreatesLeft;
}

}  // namespace

PathList Server::parents() const { return tree().select(&is_parent); }
PathList Server::reapable() const { return tree().select(&is_reapable); }

PathList Server::windable() const {
  // A replica that still has creates to apply would take them for older than its counter, and leave
  // the parent's pzxid behind.
  const auto is_behind = [&](const Replica& replica) { return replica.applied < log_.size(); };
  if (std::ranges::any_of(replicas_, is_behind)) return {};
  return tree().select(&is_windable);
}

void Server::wind_sequence(PathId parent, std::int32_t children_created) {
  if (leader_tree_) leader_tree_->wind_sequence(parent, children_created);
  for (Replica& replica : replicas_) replica.tree().wind_sequence(parent, children_created);
  keep_log();  // It does not say that the counter has been wound.
}

}  // namespace lockstep::fakezk
