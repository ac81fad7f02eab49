#include "lockstep/connection/client_connection.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"
#include "translation.h"

namespace lockstep::connection {

using fakezk::ServerMessage;

namespace {

// True if the connection answers the request itself, at its turn, without asking the servers.
bool answers_itself(const Asked& asked) { return asked.refusal || asked.op == wire::Op::kPing; }

// As how many answers it counts that may be much longer than their requests. (Answers to multis are
// not.)
std::size_t long_answers(wire::Op op) {
  switch (op) {
    case wire::Op::kGetData:
    case wire::Op::kGetChildren:
    case wire::Op::kGetChildren2:
    case wire::Op::kGetAcl:
    case wire::Op::kGetEphemerals: return 1;
    case wire::Op::kMultiRead: return ClientConnection::kLongReads;
    default: return 0;
  }
}

// The server expects neither a null list nor a null path in it (DataTree.setWatches).
bool has_null(const wire::Vector<wire::Ustring>& paths) {
  return !paths || std::ranges::any_of(*paths, [](const wire::Ustring& path) { return !path; });
}

std::vector<Path> paths_of(const wire::Vector<wire::Ustring>& names) {
  std::vector<Path> paths;
  for (const wire::Ustring& name : *names) paths.emplace_back(std::string_view(*name));
  return paths;
}

// Handles SetWatches and SetWatches2 alike.
template <class Body>
std::expected<fakezk::WatchedPaths, Error> watched_in(const Body& body) {
  if (has_null(body.data) || has_null(body.exist) || has_null(body.child)) {
    return std::unexpected(Error::kMarshallingError);
  }
  fakezk::WatchedPaths watched;
  watched.relative_zxid = body.relative_zxid;
  watched.data = paths_of(body.data);
  watched.exist = paths_of(body.exist);
  watched.child = paths_of(body.child);
  return watched;
}

std::expected<fakezk::WatchedPaths, Error> watched_in(const wire::Request& request) {
  if (request.op == wire::Op::kSetWatches) {
    return watched_in(std::get<wire::SetWatches>(request.body));
  }
  const auto& body = std::get<wire::SetWatches2>(request.body);
  if (has_null(body.persistent) || has_null(body.persistent_recursive)) {
    return std::unexpected(Error::kMarshallingError);
  }
  auto watched = watched_in(body);
  if (!watched) return watched;
  watched->persistent = paths_of(body.persistent);
  watched->recursive = paths_of(body.persistent_recursive);
  return watched;
}

Asked asked_by(const wire::Request& request) {
  Asked asked{.xid = request.xid, .op = request.op};
  if (const auto* const sync = std::get_if<wire::PathRequest>(&request.body)) {
    asked.path = sync->path;
  }
  if (const auto* const multi = std::get_if<wire::MultiRequest>(&request.body)) {
    for (const wire::MultiOp& op : multi->ops) asked.ops.push_back(result_of(op));
  }
  return asked;
}

}  // namespace

ClientConnection::ClientConnection(fakezk::Process& process)
    : world_(process.world()), link_(world_.add_link(process, *this)) {}

ClientConnection::ClientConnection(fakezk::Process& process, fakezk::LinkIndex link)
    : world_(process.world()), link_(link) {
  world_.network().attach(link, *this);
}

ClientConnection::~ClientConnection() {
  // The process may have crashed, or the world may have ended.
  if (!attached()) return;
  hang_up();
  if (attached()) world_.network().abandon(link_);
}

void ClientConnection::feed(std::string_view bytes) {
  if (closed_ || !attached() || answer_word(bytes)) return;
  reader_.feed(bytes);
  read_frames();
}

void ClientConnection::hang_up(std::uint32_t accepted) {
  if (closed_) return;
  closed_ = true;
  if (!attached()) return;
  if (accepted == kAll) {
    world_.faults().leave(link_);
  } else {
    world_.faults().cut(link_, accepted, 0);
  }
  world_.network().abandon(link_);
}

std::string ClientConnection::take_output() { return std::exchange(output_, {}); }

// The first four bytes are a four-letter word, or the length of the ConnectRequest
// (NIOServerCnxn.readLength).
bool ClientConnection::answer_word(std::string_view bytes) {
  constexpr std::size_t kWord = 4;
  if (greeted_ || first_.size() == kWord) return false;
  first_ += bytes.substr(0, kWord - first_.size());
  if (!is_four_letter_word(first_)) return false;
  ++received_;
  output_ += answer_four_letter_word(first_, describe_ ? describe_() : describe_server());
  close();
  return true;
}

WordSubject ClientConnection::describe_server() const {
  constexpr std::uint32_t kFirstPort = 10'000;
  const fakezk::Server& servers = world_.server();
  WordSubject subject{servers, world_.network().at(link_).goes_to.value_or(0), world_.now()};
  for (fakezk::LinkIndex link = 0; link < world_.network().size(); ++link) {
    const fakezk::SessionIndex session = servers.session_of(link);
    if (session == fakezk::kNoSession || servers.replica_of(link) != subject.server) continue;
    subject.clients.push_back({.address = "127.0.0.1:" + std::to_string(kFirstPort + link),
                               .session = servers.session_id(session)});
  }
  return subject;
}

// The server drops this client, but still processes what it has already read.
void ClientConnection::close() { hang_up(); }

// After a ConnectRequest, a server reads nothing until it has answered (ServerCnxn.disableRecv).
void ClientConnection::read_frames() {
  while (!closed_ && (!greeted_ || session_ != 0) && has_room()) {
    const std::optional<std::string_view> frame = reader_.next();
    if (!frame) break;
    ++received_;
    greeted_ ? take(*frame) : greet(*frame);
  }
  if (reader_.refused()) close();
}

bool ClientConnection::read_on() {
  if (closed_ || !attached()) return false;
  const std::uint64_t before = received_;
  read_frames();
  return received_ != before || closed_;
}

void ClientConnection::wait_for_answer(Asked asked) {
  long_answers_ += long_answers(asked.op);
  asked.auths_before = auths_answered_ + asked_auths_.size();
  asked_.push_back(std::move(asked));
}

void ClientConnection::answered() {
  long_answers_ -= long_answers(asked_.front().op);
  asked_.pop_front();
}

void ClientConnection::greet(std::string_view frame) {
  const auto request = wire::decode_connect_request(frame);
  if (!request) return close();
  greeted_ = true;
  asked_session_ = request->session;
  if (request->read_only) read_only_ = false;
  fakezk::Handshake handshake;
  handshake.session_id = request->session;
  handshake.password = to_password(request->password);
  handshake.timeout = std::chrono::milliseconds(request->timeout_ms);
  handshake.last_zxid_seen = request->last_zxid_seen;
  world_.network().connect(link_, handshake);
}

// The server refuses a request with an unknown operation, and its client, too
// (UnimplementedRequestProcessor). If the content does not fit the operation, it refuses only the
// request. Both seen on 3.8.0.
void ClientConnection::take(std::string_view frame) {
  if (asked_to_close_) return;  // The session is over for the leader (Z64).
  std::int32_t xid = 0;
  std::int32_t op = 0;
  wire::Reader header(frame);
  header(xid, op);
  if (header.error()) return close();
  const auto known = static_cast<wire::Op>(op);
  if (known != wire::Op::kAuth && known != wire::Op::kSasl) ++signs_of_life_;
  if (!wire::empty_body(known)) {
    put(encode_header(xid, -1, Error::kUnimplemented));
    return close();
  }
  const auto request = wire::decode_request(frame);
  if (request && filter_ && !filter_->request_passes(*request)) return close();
  if (request) return ask(*request);
  if (known == wire::Op::kAuth || known == wire::Op::kSasl) return close();
  Asked asked{.xid = xid, .op = known};
  auto unreadable = to_unreadable(known);
  if (!unreadable) return refuse(std::move(asked), Error::kMarshallingError);
  wait_for_answer(std::move(asked));
  send(std::move(*unreadable));
}

void ClientConnection::ask(const wire::Request& request) {
  if (request.op == wire::Op::kCloseSession) asked_to_close_ = true;
  Asked asked = asked_by(request);
  if (request.op == wire::Op::kSasl) return answer_sasl(request);
  if (request.op == wire::Op::kPing) {
    asked.xid = wire::kPingXid;  // FinalRequestProcessor.processRequest
    return answer_in_turn(std::move(asked));
  }
  if (request.op == wire::Op::kSetWatches || request.op == wire::Op::kSetWatches2) {
    auto watched = watched_in(request);
    if (watched) {
      wait_for_answer(std::move(asked));
      return world_.network().send(link_, std::move(*watched));
    }
    return refuse(std::move(asked), watched.error());
  }
  if (auto query = to_query(request)) return ask_query(std::move(asked), std::move(*query));
  auto translated = to_request(request, world_.server().options().ttl_enabled);
  if (!translated) return refuse(std::move(asked), translated.error());
  asked.breaks_off = translated->mode == fakezk::kRefusedUnlogged;
  if (request.op == wire::Op::kAuth) {
    asked_auths_.push_back(request.xid);
  } else {
    wait_for_answer(std::move(asked));
  }
  send(std::move(*translated));
}

void ClientConnection::ask_query(Asked asked, std::expected<fakezk::Query, Error> query) {
  if (!query) return refuse(std::move(asked), query.error());
  asked.breaks_off = query->breaks_off;
  wait_for_answer(std::move(asked));
  world_.network().send(link_, std::move(*query));
}

// A server without a JAAS configuration answers at once, with no token, whatever the client's is; a
// null one ends the connection (ZooKeeperServer.processSasl).
void ClientConnection::answer_sasl(const wire::Request& request) {
  if (!std::get<wire::Token>(request.body).token) return close();
  answer(request.xid, request.op, encode(wire::Reply{.xid = request.xid, .body = wire::Token{}}));
}

void ClientConnection::refuse(Asked asked, Error error) {
  asked.refusal = error;
  answer_in_turn(std::move(asked));
}

void ClientConnection::send(lockstep::Request&& request) {
  const fakezk::PathId path = request.path.text().is_null()
                                  ? fakezk::PathTable::kRoot
                                  : world_.servers().paths().intern(request.path.text());
  world_.network().send(link_, std::move(request), path);
}

void ClientConnection::answer_in_turn(Asked asked) {
  wait_for_answer(std::move(asked));
  answer_unless_waiting();
}

void ClientConnection::answer_unless_waiting() {
  if (asked_.empty() || !answers_itself(asked_.front())) return;
  if (fakezk::FootprintRecorder* const recorder = world_.recorder()) {
    recorder->reads(fakezk::ObjectKind::kInbox, link_);
  }
  if (world_.network().at(link_).inbox.empty()) answer_turns(zxid_of_server());
}

void ClientConnection::answer_turns(Zxid zxid) {
  while (!closed_ && !asked_.empty() && answers_itself(asked_.front())) {
    const Asked& asked = asked_.front();
    if (asked.auths_before > auths_answered_) return;
    answer(asked.xid, asked.op, encode_header(asked.xid, zxid, asked.refusal));
    answered();
  }
}

void ClientConnection::answer(std::int32_t xid, wire::Op op, std::string_view frame) {
  if (filter_) {
    wire::Reader header(frame);
    std::int32_t same_xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    header(same_xid, zxid, error);
    if (!filter_->answer_passes(xid, op, error)) return close();
  }
  put(frame);
}

// The server is this connection's also if the session has moved to another one, or is over for the
// leader.
Zxid ClientConnection::zxid_of_server() const {
  const fakezk::ReplicaIndex replica = world_.server().replica_of(link_);
  if (fakezk::FootprintRecorder* const recorder = world_.recorder()) {
    recorder->reads(fakezk::ObjectKind::kReplica, replica);
  }
  return world_.server().replica(replica).last_zxid;
}

void ClientConnection::receive(ServerMessage& message) {
  take_in(message);
  if (listener_) listener_->connection_changed();
}

void ClientConnection::take_in(ServerMessage& message) {
  switch (message.kind) {
    case ServerMessage::Kind::kReply: return replied(message);
    case ServerMessage::Kind::kWatchEvent:
      put(encode_event(message));
      zxid_shown_ = message.zxid;
      return answer_unless_waiting();
    case ServerMessage::Kind::kSessionAccepted: return accepted(message);
    case ServerMessage::Kind::kSessionExpired: return refused();
    case ServerMessage::Kind::kWatchesSet:
    case ServerMessage::Kind::kQueried: return replied(message);
    case ServerMessage::Kind::kConnectionEnded: closed_ = true; ended_as_ = message.reply.error;
  }
}

void ClientConnection::accepted(const ServerMessage& message) {
  const fakezk::Welcome& welcome = *message.welcome;
  session_ = welcome.session_id;
  zxid_shown_ = zxid_of_server();
  timeout_ = welcome.timeout;
  const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_);
  put(encode(wire::ConnectResponse{.timeout_ms = static_cast<std::int32_t>(timeout.count()),
                                   .session = session_,
                                   .password = to_bytes(welcome.password),
                                   .read_only = read_only_}));
  read_frames();
}

// Answers a client whose session is over or whose password is wrong
// (ZooKeeperServer.finishSessionInit).
void ClientConnection::refused() {
  constexpr std::size_t kPasswordBytes = 16;
  put(encode(wire::ConnectResponse{.password = std::string(kPasswordBytes, '\0'),
                                   .read_only = read_only_}));
  refused_session_ = asked_session_;
  closed_ = true;
}

void ClientConnection::replied(ServerMessage& message) {
  if (message.kind == ServerMessage::Kind::kReply && message.op == OpCode::kAddAuth) {
    const Reply& reply = message.reply;
    const auto error = reply.is_error() ? std::optional(reply.error) : std::nullopt;
    const std::int32_t xid = asked_auths_.front();
    answer(xid, wire::Op::kAuth, encode_header(xid, 0, error));
    asked_auths_.pop_front();
    ++auths_answered_;
    return answer_unless_waiting();
  }
  answer_turns(zxid_shown_);  // They were asked for before this one.
  if (closed_) return;        // The filter has lost an answer.
  answer(asked_.front().xid, asked_.front().op, encode_reply(asked_.front(), message));
  answered();
  zxid_shown_ = message.zxid;
  // Answers that have waited for this one come right after it: the server may have gone on, but
  // older replies are still under way.
  answer_turns(zxid_shown_);
  read_frames();
}

}  // namespace lockstep::connection
