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

// What nearly every request is like: there is nothing in it but its path that a client could
// refuse. (Of a watch that is to be taken back it may know nothing.)
bool is_plain(const Request& request) {
  return request.plain() && !has_ttl(request.mode) && request.op != OpCode::kCheckWatches;
}

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

// Credentials are sent like those of add_auth after a reconnect; no operation waits for the answer.
void FakeSession::take_options(const SessionOptions& options) {
  set_options(options);
  if (options.auth.empty()) return;
  // The latest is sent first.
  for (auto auth = options.auth.rbegin(); auth != options.auth.rend(); ++auth) {
    Request request(OpCode::kAddAuth, Path());
    request.say(RequestDetails(Text(auth->scheme)));
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
  pending_.each([](const PendingRequest& lost) {
    if (lost.watch) lost.watch->release();
  });
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
  fakezk::PathTable& paths = world_.servers().paths();
  fakezk::PathId path = paths.intern(request.path.text());
  // A path that the servers accept is accepted by the client as well.
  if (!paths.valid(path) || !is_plain(request) || may_exceed(request, packet_limit()))
      [[unlikely]] {
    if (refused(request, path, completion)) return;
  }
  if (request.watch) request.watch->retain();
  pending_.add({&completion, request.watch, path, request.op, request.watch_type, process_.now()});
  if (handshaken_) return send(std::move(request), path);
  unsent_.emplace(std::move(request), path);
}

bool FakeSession::refused(Request& request, fakezk::PathId& path,
                          internal::Completion& completion) {
  if (const std::optional<MultiError> why = internal::refusal_of(request, packet_limit())) {
    refuse(completion, *why);
    return true;
  }
  if (request.op != OpCode::kCheckWatches || find_watch(request, path)) return false;
  refuse(completion, MultiError(Error::kNoWatcher));
  return true;
}

void FakeSession::refuse(internal::Completion& completion, MultiError why) {
  Reply refused(why.error);
  if (why.op) refused.say(ReplyDetails::failed_at(static_cast<std::int32_t>(*why.op)));
  completion.complete(refused);
}

// Every request takes this way; a call would add a third to its cost.
[[gnu::always_inline]] inline void FakeSession::send(Request&& request, fakezk::PathId path) {
  if (request.op == OpCode::kAddAuth) [[unlikely]] {
    remember_auth(request);
  }
  world_.network().send(link_, std::move(request), path);
}

void FakeSession::remember_auth(Request& request) {
  if (request.data.is_null()) request.data = Data("");  // The C client cannot tell them apart.
  auths_.push_back(request);
}

void FakeSession::abandon(internal::Completion& completion) noexcept {
  if (closing_ == &completion) closing_ = nullptr;
  pending_.each([&](PendingRequest& request) {
    if (request.completion == &completion) request.completion = nullptr;
  });
}

// Replies arrive in the order of the requests, except that of an add_auth: the server answers it at
// once, before writes that a slow replica has not applied yet. The C client therefore keeps waiting
// add_auths apart (zookeeper.c, process_message: AUTH_XID).
inline PendingRequest FakeSession::take_pending(OpCode op) {
  const bool auth = op == OpCode::kAddAuth;
  return pending_.take_first(
      [auth](const PendingRequest& request) { return (request.op == OpCode::kAddAuth) == auth; });
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
  const bool ordered = is_ordered(answered.op) && message.reply.error != Error::kThrottledOp;
  contact_answered(answered.sent, ordered);
  if (answered.watch || concerns_watches(answered.op)) see_to_watches(answered, message.reply);
  if (answered.completion) answered.completion->complete(message.reply);
}

void FakeSession::receive(ServerMessage& message) {
  if (message.kind == ServerMessage::Kind::kConnectionEnded) [[unlikely]] {
    return connection_ended(message.reply.error);
  }
  last_contact_ = world_.now();
  // After the end of the session only the reply to its close matters: all other requests have
  // failed.
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
  change_state(SessionState::kConnected);
}

// At this point all pending requests are unsent. A multi waits in this client, not in the C
// client's queue, until there is a connection: if its waiter has gone by then, it is not sent.
void FakeSession::send_unsent() {
  PendingRequests unsent = std::exchange(pending_, {});
  while (!unsent_.empty()) {
    const std::unique_ptr<fakezk::ClientMessage> message = unsent_.take();
    const PendingRequest request = unsent.take();
    if (request.op == OpCode::kMulti && !request.completion) continue;
    pending_.add(request);
    send(std::move(message->request), message->path);
  }
}

// Sends one SetWatches with all armed watches, ahead of the queued requests.
void FakeSession::set_watches() {
  if (watches_.empty()) return;
  fakezk::WatchedPaths paths;
  paths.relative_zxid = last_zxid_seen_;
  for (const Registration& registration : watches_) {
    std::vector<Path>& into = registration.table == Table::kNode    ? paths.data
                              : registration.table == Table::kExist ? paths.exist
                                                                    : paths.child;
    const Path path = world_.server().paths().path(registration.path);
    if (std::ranges::find(into, path) == into.end()) into.push_back(path);
  }
  world_.network().send(link_, std::move(paths));
}

void FakeSession::see_to_watches(const PendingRequest& answered, const Reply& reply) {
  if (concerns_watches(answered.op)) {
    if (!reply.is_error()) drop_watches(answered);
    if (answered.watch) answered.watch->release();
  } else {
    const bool missing = reply.is_error() && reply.error == Error::kNoNode;
    keep_watch(answered, !reply.is_error(), missing);
  }
}

// The C client registers a watch when the reply arrives, if the reply says that the server has one.
void FakeSession::keep_watch(const PendingRequest& answered, bool found, bool missing) {
  if (found) {
    const Table table = answered.op == OpCode::kGetChildren ? Table::kChild : Table::kNode;
    watches_.emplace_back(table, answered.path, answered.watch);
  } else if (missing && answered.op == OpCode::kExists) {
    watches_.emplace_back(Table::kExist, answered.path, answered.watch);
  } else {
    answered.watch->release();
  }
}

// The C client checks this before it sends the request (zookeeper.c, aremove_watches).
bool FakeSession::find_watch(Request& request, fakezk::PathId& path) const {
  const auto found = std::ranges::find(watches_, request.watch, &Registration::watch);
  if (found == watches_.end()) return false;
  path = found->path;
  request.path = world_.server().paths().path(path);
  request.watch_type = found->table == Table::kChild ? WatchType::kChild : WatchType::kData;
  return true;
}

// The C client does this when the reply arrives (zk_hashtable.c, deactivateWatcher).
void FakeSession::drop_watches(const PendingRequest& answered) {
  PooledVector<internal::WatchState*> removed;
  std::erase_if(watches_, [&](const Registration& registration) {
    const WatchType type =
        registration.table == Table::kChild ? WatchType::kChild : WatchType::kData;
    const bool goes =
        answered.op == OpCode::kCheckWatches
            ? registration.watch == answered.watch
            : registration.path == answered.path &&
                  (answered.watch_type == WatchType::kAny || answered.watch_type == type);
    if (goes) removed.push_back(registration.watch);
    return goes;
  });
  for (internal::WatchState* const watch : removed) {
    watch->resolve(failure(Error::kNoWatcher));
    watch->release();
  }
}

void FakeSession::watch_event(const ServerMessage& message) {
  const EventType type = message.event;
  const auto concerned = [&](const Registration& registration) {
    if (registration.path != message.path) return false;
    if (type == EventType::kDeleted) return true;
    return (type == EventType::kChild) == (registration.table == Table::kChild);
  };
  // Waiters run later, so none of them registers a watch during the loop.
  std::erase_if(watches_, [&](const Registration& registration) {
    if (!concerned(registration)) return false;
    fire(*registration.watch, type, message.reply.path);
    registration.watch->release();
    return true;
  });
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

// Asks the server to end the session. Without a connection it aborts any attempt to connect, and
// the session expires on the server.
void FakeSession::leave(bool connected) {
  if (connected) {
    world_.network().send(link_, Request(OpCode::kClose, Path(Text())), fakezk::PathTable::kRoot);
  } else {
    world_.cut(link_, 0, 0);
  }
}

void FakeSession::end(SessionState state) {
  change_state(state);
  unsent_.clear();
  if (watches_.empty() && pending_.empty()) return;
  const Error error = end_error();
  resolve_watches(error);  // Watches end with the session event, before the requests fail.
  fail_pending(error);
}

void FakeSession::fail_pending(Error error) {
  // Only the requests pending now: a completion may submit more.
  for (std::size_t left = pending_.size(); left > 0; --left) {
    const PendingRequest lost = pending_.take();
    if (lost.watch) lost.watch->release();
    Reply reply(error);
    if (lost.completion) lost.completion->complete(reply);
  }
}

void FakeSession::resolve_watches(Error error) {
  if (watches_.empty()) return;
  const PooledVector<Registration> watches = std::exchange(watches_, {});
  for (const Registration& registration : watches) {
    registration.watch->resolve(failure(error));
    registration.watch->release();
  }
}

FakeSession::Waiting FakeSession::waiting() const {
  Waiting waiting;
  const fakezk::PathTable& paths = world_.server().paths();
  pending_.each([&](const PendingRequest& request) {
    if (request.completion) waiting.requests.emplace_back(request.op, paths.path(request.path));
  });
  for (const Registration& registration : watches_) {
    if (!registration.watch->forgotten()) waiting.watches.push_back(paths.path(registration.path));
  }
  return waiting;
}

}  // namespace lockstep::fake
