#include "lockstep/fake/session.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "lockstep/internal/check.h"
#include "lockstep/internal/refusal.h"
#include "lockstep/packet.h"

namespace lockstep::fake {

using fakezk::ServerMessage;

namespace {

// Whether only the path can be refused, as with nearly every request.
bool is_plain(const Request& request) { return request.plain() && !has_ttl(request.mode); }

}  // namespace

FakeSession::FakeSession(fakezk::Process& process, Duration timeout, const Path& chroot,
                         const SessionOptions& options)
    : Session(process, process.random(), chroot),
      process_(process),
      world_(process.world()),
      requested_timeout_(timeout),
      link_(world_.add_link(process, *this)) {
  take_options(options);
  connect();
}

FakeSession::FakeSession(fakezk::Process& process, Duration timeout, const Credentials& attach_to,
                         const Path& chroot, const SessionOptions& options)
    : Session(process, process.random(), chroot),
      process_(process),
      world_(process.world()),
      requested_timeout_(timeout),
      link_(world_.add_link(process, *this)),
      id_(attach_to.session),
      password_(attach_to.password) {
  take_options(options);
  connect();
}

FakeSession::FakeSession(fakezk::Process& process, const Snapshot& snapshot,
                         const SessionOptions& options)
    : Session(process, process.random(), Path(Text()), SessionState::kConnected),
      process_(process),
      world_(process.world()),
      requested_timeout_(snapshot.requested_timeout),
      negotiated_timeout_(snapshot.negotiated_timeout),
      link_(snapshot.link),
      id_(snapshot.session),
      password_(snapshot.password),
      last_zxid_seen_(snapshot.last_zxid_seen),
      last_contact_(snapshot.last_contact),
      handshake_sent_(snapshot.handshake_sent),
      handshaken_(true) {
  take_options(options);
  world_.network().attach(link_, *this);
  contact_opened(handshake_sent_, negotiated_timeout_);
}

// Credentials are sent like those of add_auth after a reconnect: no operation waits for the answer.
void FakeSession::take_options(const SessionOptions& options) {
  set_options(options);
  if (options.auth.empty()) return;
  // The C client sends the latest credential first.
  for (auto auth = options.auth.rbegin(); auth != options.auth.rend(); ++auth) {
    Request request(OpCode::kAddAuth, Path());
    request.set_details(RequestDetails(Text(auth->scheme)));
    request.data = auth->credential;
    remember_auth(request);
  }
  auths_of_options_ = auths_.size();
}

FakeSession::~FakeSession() {
  end_background();
  closing_ = nullptr;
  // The process may have crashed, or the world may have ended.
  const bool heard = world_.network().at(link_).endpoint == this;
  if (!is_over(state())) {
    const bool connected = handshaken_;
    end(SessionState::kClosed);
    if (heard) leave(connected);
  }
  if (heard) world_.network()[link_].endpoint = nullptr;
}

FakeSession::Snapshot FakeSession::snapshot() const {
  const bool at_rest = handshaken_ && pending_.empty() && watches_.empty() &&
                       repeated_auths_ == 0 && auths_.size() == auths_of_options_;
  internal::check(at_rest, "snapshot() of a session that is not at rest");
  return {.link = link_,
          .session = id_,
          .password = password_,
          .requested_timeout = requested_timeout_,
          .negotiated_timeout = negotiated_timeout_,
          .last_zxid_seen = last_zxid_seen_,
          .last_contact = last_contact_,
          .handshake_sent = handshake_sent_};
}

void FakeSession::submit(Request&& request, internal::Completion& completion) {
  if (is_over(state())) [[unlikely]] {
    return refuse(completion, MultiError(end_error()));
  }
  if (request.op == OpCode::kClose) [[unlikely]] {
    return start_closing(completion);
  }
  if (request.op == OpCode::kCheckWatches && !watches_.complete(request)) [[unlikely]] {
    return refuse(completion, MultiError(Error::kNoWatcher));
  }
  fakezk::PathTable& paths = world_.servers().paths();
  const fakezk::PathId path = paths.intern(request.path.text());
  // The client accepts every path that the servers accept.
  if (!paths.valid(path) || !is_plain(request) || may_exceed(request, packet_limit()))
      [[unlikely]] {
    const std::optional<MultiError> why = internal::refusal_of(request, packet_limit());
    if (why) return refuse(completion, *why);
  }
  pending_.push_back({&completion, std::move(request.watch), path, request.op, request.watch_type,
                      process_.now()});
  if (handshaken_) return send(std::move(request), path);
  unsent_.emplace(std::move(request), path);
}

void FakeSession::refuse(internal::Completion& completion, MultiError why) {
  Reply refused(why.error);
  if (why.op) refused.set_details(ReplyDetails::failed_at(static_cast<std::int32_t>(*why.op)));
  completion.complete(refused);
}

// Inlined, because every request passes here and a call would add a third to its cost.
[[gnu::always_inline]] inline void FakeSession::send(Request&& request, fakezk::PathId path) {
  if (request.op == OpCode::kAddAuth) [[unlikely]] {
    remember_auth(request);
  }
  world_.network().send(link_, std::move(request), path);
}

void FakeSession::remember_auth(Request& request) {
  if (request.data.is_null()) request.data = Data("");  // The C client cannot tell null from empty.
  auths_.push_back(request);
}

void FakeSession::abandon(internal::Completion& completion) noexcept {
  if (closing_ == &completion) closing_ = nullptr;
  if (answered_ == &completion) answered_ = nullptr;
  for (PendingRequest& request : pending_) {
    if (request.completion == &completion) request.completion = nullptr;
  }
}

// Replies arrive in the order of the requests, except that the server answers an add_auth
// immediately, before writes that a slow replica has not applied yet. The C client therefore keeps
// waiting add_auths apart (zookeeper.c, process_message: AUTH_XID).
inline FakeSession::PendingRequest FakeSession::take_pending(OpCode op) {
  const bool auth = op == OpCode::kAddAuth;
  return take_pending(std::ranges::find_if(pending_, [auth](const PendingRequest& request) {
    return (request.op == OpCode::kAddAuth) == auth;
  }));
}

inline FakeSession::PendingRequest FakeSession::take_pending(PendingRequests::iterator request) {
  PendingRequest taken = std::move(*request);
  pending_.erase(request);
  return taken;
}

// The server answers with kSessionExpired while it is closing the session.
[[gnu::always_inline]] inline void FakeSession::replied(ServerMessage& message) {
  const bool failed = message.reply.is_error();
  if (message.op == OpCode::kAddAuth) [[unlikely]] {
    if (failed) return end(SessionState::kAuthFailed);
    if (repeated_auths_ > 0) {
      --repeated_auths_;  // No operation waits for it.
      return;
    }
  } else {
    last_zxid_seen_ = message.zxid;
    if (message.op == OpCode::kClose) [[unlikely]] {
      if (closing_) std::exchange(closing_, nullptr)->complete(message.reply);
      return;
    }
    if (failed && message.reply.error == Error::kSessionExpired) {
      return end(SessionState::kExpired);
    }
  }
  const PendingRequest answered = take_pending(message.op);
  answered_ = answered.completion;
  const bool ordered = is_ordered(answered.op) && message.reply.error != Error::kThrottledOp;
  contact_answered(answered.sent, ordered);
  if (answered.watch || concerns_watches(answered.op)) update_watches(answered, message.reply);
  // Unless a listener has abandoned it.
  if (answered_) std::exchange(answered_, nullptr)->complete(message.reply);
}

void FakeSession::receive(ServerMessage& message) {
  if (message.kind == ServerMessage::Kind::kConnectionEnded) [[unlikely]] {
    return connection_ended(message.reply.error);
  }
  last_contact_ = process_.clock().shown();
  // After the end of the session only the reply to its close matters: all other requests have
  // already failed.
  if (is_over(state()) && message.op != OpCode::kClose) return;
  if (message.kind == ServerMessage::Kind::kReply) return replied(message);
  if (message.kind == ServerMessage::Kind::kWatchEvent) return watch_event(message);
  if (message.kind == ServerMessage::Kind::kSessionAccepted) return accepted(message);
  if (message.kind == ServerMessage::Kind::kSessionExpired) return end(SessionState::kExpired);
}

void FakeSession::connect() {
  fakezk::Handshake handshake;
  handshake.session_id = id_;
  handshake.password = password_;
  handshake.timeout = requested_timeout_;
  handshake.last_zxid_seen = last_zxid_seen_;
  handshake_sent_ = process_.now();
  world_.network().connect(link_, handshake);
}

void FakeSession::accepted(const ServerMessage& message) {
  id_ = message.welcome->session_id;
  password_ = message.welcome->password;
  negotiated_timeout_ = message.welcome->timeout;
  handshaken_ = true;
  for (auto auth = auths_.rbegin(); auth != auths_.rend(); ++auth) {
    world_.network().send(link_, *auth, fakezk::PathTable::kRoot);
  }
  repeated_auths_ = auths_.size();
  set_watches();
  if (!unsent_.empty()) send_unsent();
  contact_opened(handshake_sent_, negotiated_timeout_);
  if (is_over(state())) return;  // A listener has closed it.
  change_state(SessionState::kConnected);
}

// All pending requests are unsent here. They have waited in this client, not in the C client's
// queue: those whose waiters have gone are dropped.
void FakeSession::send_unsent() {
  PendingRequests unsent = std::exchange(pending_, {});
  for (PendingRequest& request : unsent) {
    const std::unique_ptr<fakezk::ClientMessage> message = unsent_.take();
    if (!request.completion) continue;
    pending_.push_back(std::move(request));
    send(std::move(message->request), message->path);
  }
}

// Sends one SetWatches with all armed watches, ahead of the queued requests.
void FakeSession::set_watches() {
  if (watches_.empty()) return;
  fakezk::WatchedPaths paths;
  paths.relative_zxid = last_zxid_seen_;
  paths.data = watches_.paths_in(internal::WatchTable::kNode);
  paths.exist = watches_.paths_in(internal::WatchTable::kExist);
  paths.child = watches_.paths_in(internal::WatchTable::kChild);
  world_.network().send(link_, std::move(paths));
}

// The C client registers and removes watches when the reply arrives.
void FakeSession::update_watches(const PendingRequest& answered, const Reply& reply) {
  const std::optional<Error> error = reply.is_error() ? std::optional(reply.error) : std::nullopt;
  const Path path = world_.servers().paths().path(answered.path);
  if (concerns_watches(answered.op)) {
    if (!error) drop_watches(answered, path);
    return;
  }
  const internal::WatchTable table = internal::table_of(answered.op, error);
  if (table != internal::WatchTable::kNone) watches_.add(table, path, *answered.watch);
}

void FakeSession::drop_watches(const PendingRequest& answered, const Path& path) {
  if (answered.op == OpCode::kRemoveWatches) return watches_.removed(path, answered.watch_type);
  const std::optional<internal::WatchRegistry::Place> place = watches_.find(answered.watch.get());
  if (place) watches_.take_back(*answered.watch, place->alone);
}

void FakeSession::watch_event(const ServerMessage& message) {
  fire(watches_, message.event, message.reply.path);
}

// The session event comes first, then all unanswered requests fail, oldest first, including those
// queued while there was no connection.
void FakeSession::connection_ended(Error error) {
  handshaken_ = false;
  if (is_over(state())) {
    Reply lost(error);
    if (closing_) std::exchange(closing_, nullptr)->complete(lost);
    return;
  }
  if (state() == SessionState::kConnected) change_state(SessionState::kSuspended);
  if (is_over(state())) return;  // A listener has closed it.
  unsent_.clear();
  fail_pending(error);
  if (is_over(state())) return;  // A completion has closed it.
  connect();
}

void FakeSession::start_closing(internal::Completion& completion) {
  closing_ = &completion;
  const bool connected = handshaken_;
  end(SessionState::kClosed);
  leave(connected);
  if (!connected && closing_) {
    Reply done = Reply::ok();
    std::exchange(closing_, nullptr)->complete(done);
  }
}

// Asks the server to end the session. Without a connection, any attempt to connect is aborted, and
// the session expires on the server.
void FakeSession::leave(bool connected) {
  if (connected) {
    world_.network().send(link_, Request(OpCode::kClose, Path(Text())), fakezk::PathTable::kRoot);
  } else {
    world_.faults().cut(link_, 0, 0);
  }
}

void FakeSession::end(SessionState state) {
  change_state(state);
  unsent_.clear();
  if (watches_.empty() && pending_.empty()) return;
  const Error error = end_error();
  watches_.end(error);  // Watches end with the session event, before the requests fail.
  fail_pending(error);
}

void FakeSession::fail_pending(Error error) {
  // Only the requests pending now: a completion may submit more.
  for (std::size_t left = pending_.size(); left > 0; --left) {
    const PendingRequest lost = take_pending(pending_.begin());
    Reply reply(error);
    if (lost.completion) lost.completion->complete(reply);
  }
}

FakeSession::Waiting FakeSession::waiting() const {
  Waiting waiting;
  const fakezk::PathTable& paths = world_.server().paths();
  for (const PendingRequest& request : pending_) {
    if (request.completion) waiting.requests.emplace_back(request.op, paths.path(request.path));
  }
  waiting.watches = watches_.watched();
  return waiting;
}

}  // namespace lockstep::fake
