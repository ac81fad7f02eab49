// How sessions connect to a server and move between servers.
#include <algorithm>

#include "lockstep/fakezk/server.h"

namespace lockstep::fakezk {

void Server::greet(LinkIndex link, const Handshake& handshake, TimePoint now) {
  if (recorder_) recorder_->writes(ObjectKind::kLink, link);
  if (recorder_ && options_.is_ensemble())
    recorder_->reads(ObjectKind::kClock);  // SessionTable's `greeted`
  Connection& fresh = connections_.greeted(link);
  fresh.replica = pick_replica(link, handshake.last_zxid_seen);
  if (behind(fresh.replica, handshake.last_zxid_seen)) {
    // The server does not answer, so that the client tries another one (processConnectRequest).
    return network_.disconnect(link, 0, Error::kConnectionLoss);
  }
  if (handshake.session_id == 0) {
    SessionTable& sessions = leader_.sessions();
    const SessionIndex session = sessions.open();
    sessions[session].timeout = negotiated(handshake.timeout);
    sessions[session].link = link;
    sessions[session].greeted = now;
    fresh.session = session;
    return open_session(link, session, now);
  }
  reopen_session(link, handshake, now);
}

// A client tries the servers one after the other, starting with a random one. Servers that cannot
// take it come last. If such a server sends the client away, the client continues with the next one
// in its list (zookeeper.c, zoo_cycle_next_server, addrvec_next): among those that cannot take it,
// only with ones that it has not tried yet. With an even number of servers the C client, which
// moves on once more in handle_error, may return to the same one immediately.
ReplicaIndex Server::pick_replica(LinkIndex link, Zxid seen) {
  if (options_.replicas == 1) return 0;
  if (network_.at(link).goes_to) return *network_.at(link).goes_to;
  std::vector<ReplicaIndex> order;
  const auto turn_of = [&](ReplicaIndex index) {
    return (index + options_.replicas - link % options_.replicas) % options_.replicas;
  };
  // A server that is behind the session's last zxid cannot have served the session.
  const ReplicaIndex last = connections_[link].replica;
  const bool sent_away = connections_[link].number > 1 && behind(last, seen);
  const bool in_turn = sent_away && options_.replicas % 2 == 1;
  for (const bool wanted : {false, true}) {
    for (ReplicaIndex i = 0; i < options_.replicas; ++i) {
      const ReplicaIndex index = (link + i) % options_.replicas;
      if (replicas_[index].unreachable || behind(index, seen) != wanted) continue;
      if (!wanted || !in_turn || turn_of(index) > turn_of(last)) order.push_back(index);
    }
  }
  const std::uint32_t drawn = unspecified_.number(static_cast<std::uint32_t>(order.size()));
  return order[drawn];
}

Zxid Server::last_zxid_for(SessionId id) const {
  if (!options_.is_ensemble()) return last_zxid();
  const SessionIndex session = sessions().find(id);
  const LinkIndex link = session == kNoSession ? kNoLink : sessions()[session].link;
  return link == kNoLink ? last_zxid() : replicas_[connections_[link].replica].last_zxid;
}

bool Server::behind(ReplicaIndex index, Zxid seen) const {
  return seen > replicas_[index].last_zxid;
}

bool Server::hears(LinkIndex link) const {
  const SessionIndex session = session_of(link);
  if (recorder_) recorder_->reads(ObjectKind::kLink, link);
  if (!network_.at(link).open || session == kNoSession) return false;
  const ReplicaIndex replica = replica_of(link);
  if (recorder_) recorder_->reads(ObjectKind::kReplica, replica);
  return session_alive(session) && !replicas_[replica].unreachable;
}

// An unreachable replica tells the leader nothing in any case.
void Server::begin_silence(LinkIndex link, TimePoint now) {
  if (recorder_) recorder_->reads(ObjectKind::kLink, link);
  const SessionIndex session = session_of(link);
  if (session != kNoSession && leader_.sessions()[session].link == link)
    leader_.sessions().begin_silence(session, now);
}

void Server::end_silence(LinkIndex link) {
  if (recorder_) recorder_->reads(ObjectKind::kLink, link);
  const SessionIndex session = session_of(link);
  if (session == kNoSession || leader_.sessions()[session].link != link) return;
  if (!replicas_[connections_[link].replica].unreachable) leader_.sessions().end_silence(session);
}

Duration Server::negotiated(Duration asked) const {
  const auto or_ticks = [this](Duration limit, int ticks) {
    return limit == Duration::zero() ? ticks * options_.tick_time : limit;
  };
  return std::clamp(asked, or_ticks(options_.min_session_timeout, 2),
                    or_ticks(options_.max_session_timeout, 20));
}

void Server::open_session(LinkIndex link, SessionIndex session, TimePoint now) {
  Txn txn = with_origin(link, leader_.begin_session(session, now));
  commit(txn, now);
}

void Server::reopen_session(LinkIndex link, const Handshake& handshake, TimePoint now) {
  const SessionIndex session = leader_.sessions().find(handshake.session_id);
  if (session == kNoSession) return refuse(link);
  SessionTable::Session& known = leader_.sessions()[session];
  const ReplicaIndex here = connections_[link].replica;
  const LinkIndex old = known.link;
  // The same server closes its old connection before it checks the password.
  if (old != kNoLink && old != link && connections_[old].replica == here) {
    drop(old, now, network_.at(old).inbox.size(), Error::kConnectionLoss);
  }
  if (!leader_.sessions().alive(session) || known.password != handshake.password)
    return refuse(link);
  strays_.drop(session, here);
  leader_.sessions().end_silence(session);
  known.timeout = negotiated(handshake.timeout);  // Every connection negotiates it.
  known.link = link;
  known.greeted = now;
  connections_[link].session = session;
  welcome(link, session);
}

void Server::welcome(LinkIndex link, SessionIndex session) {
  const SessionTable::Session& known = leader_.sessions()[session];
  ServerMessage& accepted = network_.answer(link, ServerMessage::Kind::kSessionAccepted);
  accepted.welcome = {known.id, known.password, known.timeout};
  applied_.zxid = last_zxid();
}

void Server::refuse(LinkIndex link) {
  network_.shut(link);
  network_.answer(link, ServerMessage::Kind::kSessionExpired);
}

// The session has moved to another connection, on another server. Reads still work here; the leader
// notices at the first write, and this connection ends (SessionMovedException).
void Server::refuse_moved(LinkIndex link, SessionIndex session, OpCode op, TimePoint now) {
  Txn refused = leader_.begin(OpCode::kSetData, session, now);
  refused.has_error = true;
  refused.error = Error::kSessionMoved;
  applied_ = Applied::failed(op, refused.error);
  commit(refused, now);
  drop(link, now, network_.at(link).inbox.size(), Error::kConnectionLoss);
}

void Server::keep_strays(LinkIndex link, std::uint32_t count) {
  const Connection& ended = connections_[link];
  if (recorder_) recorder_->reads(ObjectKind::kReplica, ended.replica);
  // A server without its leader forwards nothing, and drops all requests when it notices.
  if (ended.session == kNoSession || replicas_[ended.replica].unreachable) return;
  strays_.keep({ended.session, ended.replica, ended.identities, {}}, network_[link].requests,
               count);
  work_found_ = true;
}

void Server::apply_strays(SessionIndex session, TimePoint now) {
  const Applied current = applied_;
  for (std::uint32_t i = 0; i < strays_.size();) {
    if (strays_.at(i).session == session) {
      apply_stray(i, now);
      i = 0;
    } else {
      ++i;
    }
  }
  applied_ = current;
}

}  // namespace lockstep::fakezk
