// How servers process the requests of clients.
#include <memory>
#include <optional>
#include <utility>

#include "lockstep/fakezk/server.h"
#include "packet.h"

namespace lockstep::fakezk {

void Server::drop_too_long(LinkIndex link, const ClientMessage& message, TimePoint now) {
  applied_ = Applied::failed(message.request.op, Error::kConnectionLoss);
  drop(link, now, network_.at(link).inbox.size(), Error::kConnectionLoss);
}

// The common path of every write is inlined: calls would take about as long as the work.
[[gnu::always_inline]] inline void Server::write(Txn txn, const Identities& identities,
                                                 const ClientMessage& message, TimePoint now) {
  leader_.prepare(txn, identities, message);
  applied_ = {.op = txn.op,
              .is_request = true,
              .error = txn.error,
              .has_error = txn.has_error,
              .zxid = txn.zxid,
              .path = leader_.prepared_path()};
  commit(txn, now);
}

[[gnu::always_inline]] inline void Server::read(LinkIndex link, const ClientMessage& message) {
  const Request& request = message.request;
  const Connection& served = connections_[link];
  Replica& replica = replicas_[served.replica];
  Reply& reply = open_reply(replica, link, request.op);
  replica.read(request, message.path, link, served.identities, reply);
  applied_ = {.op = request.op,
              .is_request = true,
              .watches = request.watched,
              .error = reply.error,
              .has_error = reply.is_error(),
              .zxid = replica.last_zxid,
              .path = message.path};
}

[[gnu::always_inline]] inline void Server::serve(LinkIndex link, SessionIndex session,
                                                 const ClientMessage& message, TimePoint now) {
  const Request& request = message.request;
  if (is_read(request.op)) return read(link, message);
  if (request.op == OpCode::kSync) {
    Txn sync = with_origin(link, leader_.begin(OpCode::kSync, session, now));
    applied_ = {.op = request.op, .is_request = true, .zxid = last_zxid()};
    return commit(sync, now);
  }
  if (leader_.sessions()[session].link != link && asks_for_session(request)) {
    return refuse_moved(link, session, request.op, now);
  }
  if (is_refused(request) && request.mode == kRefusedUnlogged) [[unlikely]] {
    return refuse_unlogged(link, session, request, now);
  }
  write(with_origin(link, leader_.begin(request.op, session, now)), connections_[link].identities,
        message, now);
}

// The end of the session is decided. The connected server may drop the request
// (ZooKeeperServer.submitRequestNow), or the leader may refuse it (SessionTracker.checkSession). A
// replica that has not applied the end serves reads as before.
void Server::serve_ended(LinkIndex link, SessionIndex session, const ClientMessage& message,
                         TimePoint now) {
  const Request& request = message.request;
  const bool heard_of = !options_.is_ensemble();
  if (session != kNoSession && !heard_of && !is_write(request.op)) {
    return serve(link, session, message, now);
  }
  applied_ = Applied::failed(request.op, Error::kSessionExpired);
  if (session == kNoSession) return;
  if (decide_drop(link)) return;
  if (request.op == OpCode::kClose) return close_ended(link, session, now);
  if (!is_write(request.op)) {
    const Replica& replica = replicas_[connections_[link].replica];
    open_reply(replica, link, request.op) = Reply(Error::kSessionExpired);
    return;
  }
  if (is_refused(request) && request.mode == kRefusedUnlogged) {
    return refuse_unlogged(link, session, request, now);
  }
  Txn refused = with_origin(link, leader_.begin(request.op, session, now));
  leader_.prepare_ended(refused, request);
  commit(refused, now);
}

// The leader does not ask whether a session is over when its client closes it
// (PrepRequestProcessor.pRequest2Txn): its close is the one that ends it.
void Server::close_ended(LinkIndex link, SessionIndex session, TimePoint now) {
  applied_ = {.op = OpCode::kClose, .is_request = true};
  Txn closes = with_origin(link, leader_.begin(OpCode::kClose, session, now));
  leader_.prepare_close(closes);
  applied_.zxid = closes.zxid;
  commit(closes, now);
}

void Server::refuse_unlogged(LinkIndex link, SessionIndex session, const Request& request,
                             TimePoint now) {
  const Error error = refusal_of(request);
  applied_ = Applied::failed(request.op, error);
  Txn refused = with_origin(link, leader_.begin_unlogged(session, now, error));
  commit(refused, now);
}

bool Server::decide_drop(LinkIndex link) {
  bool& drops = connections_[link].drops_requests;
  const bool heard_of = !options_.is_ensemble();
  drops = drops || (heard_of && unspecified_.number(2) == 0);
  return drops;
}

// A client that sets watches or asks a query is answered like one that reads: see serve_ended().
// Returns the error, if there is one, or nothing if the server drops the request.
std::optional<Reply> Server::reply_unless_dropped(LinkIndex link) {
  const SessionIndex session = session_of(link);
  if (session == kNoSession) return std::nullopt;
  const bool ended = !leader_.sessions().alive(session) && !options_.is_ensemble();
  if (!ended) return Reply();
  if (decide_drop(link)) return std::nullopt;
  return Reply(Error::kSessionExpired);
}

void Server::set_watches(LinkIndex link, const WatchedPaths& watched) {
  std::optional<Reply> reply = reply_unless_dropped(link);
  if (!reply) return;
  Replica& replica = replicas_[connections_[link].replica];
  if (!reply->is_error()) {
    for (const Replica::Fired& fired : replica.set_watches(link, watched)) send_event(fired);
  }
  ServerMessage& done = network_.answer(link, ServerMessage::Kind::kWatchesSet);
  done.zxid = replica.last_zxid;
  done.reply = *std::move(reply);
}

void Server::answer_query(LinkIndex link, const Query& query, TimePoint now) {
  std::optional<Reply> reply = reply_unless_dropped(link);
  if (!reply) return;
  Replica& replica = replicas_[connections_[link].replica];
  std::unique_ptr<QueryAnswer> found;
  if (!reply->is_error()) {
    found = std::make_unique<QueryAnswer>();
    const Replica::Asker asker{link, session_id(session_of(link)), connections_[link].identities};
    replica.answer(query, asker, *found, *reply);
    if (found->too_long) {
      return drop(link, now, network_.at(link).inbox.size(), Error::kConnectionLoss);
    }
  }
  ServerMessage& answer = network_.answer(link, ServerMessage::Kind::kQueried);
  answer.zxid = replica.last_zxid;
  answer.answer = std::move(found);
  answer.reply = *std::move(reply);
}

// An add_auth bypasses the queue of requests and is answered without a zxid
// (ZooKeeperServer.processPacket).
void Server::add_identity(LinkIndex link, const Request& request, TimePoint now) {
  std::optional<Identity> identity = authenticate(request.scheme().view(), request.data);
  // The server closes the connection right after a rejection, and unread requests turn the close
  // into a reset, which can overtake the answer.
  if (!identity && unspecified_.number(2) != 0) {
    applied_ = Applied::failed(request.op, Error::kConnectionLoss);
    return drop(link, now, network_.at(link).inbox.size(), Error::kConnectionLoss);
  }
  Reply reply = identity ? Reply::ok() : Reply(Error::kAuthFailed);
  applied_ = {
      .op = request.op, .is_request = true, .error = reply.error, .has_error = reply.is_error()};
  ServerMessage& answer = network_.answer(link, ServerMessage::Kind::kReply);
  answer.op = OpCode::kAddAuth;
  answer.reply = std::move(reply);
  if (!identity) return drop(link, now, network_.at(link).inbox.size(), Error::kAuthFailed);
  if (recorder_) recorder_->writes(ObjectKind::kLink, link);
  // The connection has its address from the start (IPAuthenticationProvider.handleAuthentication).
  if (identity->scheme != "ip") connections_[link].identities.add(std::move(*identity));
}

void Server::process_other_message(LinkIndex link, const ClientMessage& message, TimePoint now) {
  applied_ = Applied{};
  if (message.kind == ClientMessage::Kind::kHandshake) {
    return greet(link, message.handshake(), now);
  }
  if (exceeds_packet_limit(message)) return drop_too_long(link, message, now);
  if (!strays_.empty()) apply_strays(session_of(link), now);
  if (message.kind == ClientMessage::Kind::kQuery) return answer_query(link, message.query(), now);
  applied_.watches = true;
  set_watches(link, message.watched());
}

// A throttled request takes no zxid (SyncRequestProcessor skips it, FinalRequestProcessor answers).
void Server::refuse_throttled(LinkIndex link, OpCode op) {
  --throttle_.requests;
  applied_ = Applied::failed(op, Error::kThrottledOp);
  open_reply(replicas_[connections_[link].replica], link, op) = Reply(Error::kThrottledOp);
}

[[gnu::always_inline]] inline void Server::process_message(LinkIndex link,
                                                           const ClientMessage& message,
                                                           TimePoint now) {
  if (message.kind != ClientMessage::Kind::kRequest)
    return process_other_message(link, message, now);
  if (!is_surely_short(message.request, paths_->longest()) && exceeds_packet_limit(message)) {
    return drop_too_long(link, message, now);
  }
  const SessionIndex session = connections_[link].session;
  if (message.request.op == OpCode::kAddAuth) return add_identity(link, message.request, now);
  if (!leader_.sessions().alive(session)) return serve_ended(link, session, message, now);
  if (!strays_.empty()) apply_strays(session, now);
  if (throttle_.refuses(link, message.request.op)) [[unlikely]] {
    return refuse_throttled(link, message.request.op);
  }
  serve(link, session, message, now);
}

const Applied& Server::apply(LinkIndex link, TimePoint now) {
  if (recorder_ && options_.is_ensemble()) record_taking_up(link);
  const std::unique_ptr<const ClientMessage> taken = network_.take_request(link);
  process_message(link, *taken, now);
  return applied_;
}

const Applied& Server::apply_stray(std::uint32_t index, TimePoint now) {
  const Strays::Stray stray = strays_.take(index);
  const ClientMessage& message = *stray.message;
  if (leader_.sessions().alive(stray.session)) {
    write(leader_.begin(message.request.op, stray.session, now), stray.identities, message, now);
  } else {
    applied_ = Applied::failed(message.request.op, Error::kSessionExpired);
  }
  return applied_;
}

}  // namespace lockstep::fakezk
