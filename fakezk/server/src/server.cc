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
      replicas_(paths, acls_, unspecified, options.replicas),
      leader_(timers, unspecified, replicas_.committed(), acls_, options_, work_found_) {
  for (ReplicaIndex index = 0; index < options.replicas; ++index) {
    Rejoin& rejoin = rejoins_.emplace_back();
    rejoin.server = this;
    rejoin.replica = index;
  }
  reset(std::move(paths));
}

void Server::reset(std::shared_ptr<PathTable> paths) {
  paths_ = std::move(paths);
  acls_.reset();
  replicas_.reset(paths_);
  for (Rejoin& rejoin : rejoins_) rejoin_timers_[rejoin.replica].erase(rejoin);
  leader_.reset(paths_);
  connections_.clear();
  strays_.clear();
  throttle_ = {};
  replicas_.advance_to(leader_.zxid());
}

bool Server::look_for_work() {
  work_found_ =
      options_.is_ensemble() || !closing().empty() || !reaping().empty() || !strays_.empty();
  return work_found_;
}

bool Server::at_rest() const {
  return strays_.empty() && leader_.at_rest() &&
         std::ranges::all_of(replicas_, [](const Replica& replica) {
           return !replica.unreachable && !replica.data_watches().any() &&
                  !replica.child_watches().any();
         });
}

Server::Checkpoint Server::checkpoint() const {
  return {.acls = acls_,
          .replicas = replicas_.checkpoint(),
          .leader = leader_.checkpoint(),
          .connections = connections_};
}

void Server::reset_to(const Checkpoint& checkpoint) {
  acls_.reset_to(checkpoint.acls);
  replicas_.reset_to(checkpoint.replicas);
  for (Rejoin& rejoin : rejoins_) rejoin_timers_[rejoin.replica].erase(rejoin);
  leader_.reset_to(checkpoint.leader);
  connections_ = checkpoint.connections;
  strays_.clear();
  throttle_ = {};
}

void Server::record_into(FootprintRecorder* recorder) {
  recorder_ = recorder;
  leader_.record_into(recorder);
  strays_.record_into(recorder);
  replicas_.record_into(recorder);
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
  recorder_->writes(ObjectKind::kLog, entry_of_log(leader_.log().size()));
}

namespace {

// A read shows how far its own server has come, and waits for it; a handshake looks at all servers.
bool sees(const ClientMessage& message, bool its_own) {
  if (message.kind == ClientMessage::Kind::kHandshake) return true;
  return message.reads() && its_own;
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
  if (message.reads()) return connection.unanswered == 0;
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
  // The connection's identities decide whether it may hear of the event.
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
  SessionTable& sessions = leader_.sessions();
  if (session == kNoSession || sessions[session].link != link) return;
  sessions[session].link = kNoLink;
  sessions.begin_silence(session, now);
}

void Server::drop(LinkIndex link, TimePoint now, std::size_t received, Error noticed_as) {
  connection_ended(link, now);
  network_.disconnect(link, received, noticed_as);
}

void Server::finish_close(SessionIndex session, TimePoint now) {
  Txn txn = leader_.begin(OpCode::kClose, session, now);
  leader_.prepare_close(txn);
  commit(txn, now);
}

void Server::finish_reaping(std::uint32_t index, TimePoint now) {
  reap(leader_.reaper().take(index), now);
}

void Server::reap(PathId path, TimePoint now) {
  Txn txn = leader_.begin(OpCode::kRemove, kNoSession, now);
  leader_.prepare_reaping(txn, path);
  commit(txn, now);
}

bool Server::create_as_operator(const Request& request, TimePoint now) {
  Txn txn = leader_.begin(OpCode::kCreate, kNoSession, now);
  leader_.prepare_create(txn, request);
  commit(txn, now);
  return !txn.has_error;
}

void Server::remove_as_operator(PathId path, TimePoint now) {
  Txn txn = leader_.begin(OpCode::kRemove, kNoSession, now);
  leader_.prepare_removal(txn, path);
  commit(txn, now);
}

namespace {

bool is_parent(const Znode& znode) { return znode.has_had_children(); }

// A container is reaped only after it has had a child (ContainerManager.getCandidates).
bool is_reapable(const Znode& znode) {
  return is_parent(znode) && znode.lifetime == Lifetime::kContainer && znode.children.empty();
}

bool is_windable(const Znode& znode) {
  return is_parent(znode) &&
         znode.children_created <= Server::kLastNumber - Server::kMostCreatesLeft;
}

}  // namespace

PathList Server::reapable() const { return tree().select(&is_reapable); }

PathList Server::windable() const {
  // A replica that still has creates to apply would take them for older than its counter, and would
  // not raise the parent's pzxid.
  const auto is_behind = [&](const Replica& replica) {
    return replica.applied < leader_.log().size();
  };
  if (std::ranges::any_of(replicas_, is_behind)) return {};
  return tree().select(&is_windable);
}

void Server::wind_sequence(PathId parent, std::int32_t children_created) {
  replicas_.wind_sequence(parent, children_created);
  keep_log();  // The log does not show that the counter was wound.
}

}  // namespace lockstep::fakezk
