#include "session.h"

#include <zookeeper/zookeeper.h>

#include <utility>

namespace lockstep::zookeeper {

namespace {

// The C client's codes are ours, but for one: when it drops a connection because of a reply it did
// not expect, it fails what was under way with "runtime inconsistency".
Error error_of(int rc) {
  return rc == ZRUNTIMEINCONSISTENCY ? Error::kConnectionLoss : static_cast<Error>(rc);
}

// Codes below ZAPIERROR are the server's, apart from those that say how the session ended.
bool came_from_server(int rc) {
  return rc == ZOK || (rc < ZAPIERROR && rc != ZAUTHFAILED && rc != ZCLOSING);
}

Reply to_reply(ReplyMessage& message, OpCode op) {
  if (message.rc != ZOK) return Reply(error_of(message.rc));
  Reply reply;
  reply.stat = message.stat;
  if (op == OpCode::kCreate) reply.path = Path(message.bytes);
  if (op == OpCode::kGetData && message.has_bytes) reply.data = Data(message.bytes);
  reply.children = std::move(message.children);
  return reply;
}

void fail(internal::Completion* completion, Error error) {
  if (!completion) return;
  Reply reply(error);
  completion->complete(reply);
}

}  // namespace

Session::Session(Runtime& runtime, const Options& options)
    : lockstep::Session(runtime, runtime.random()),
      runtime_(runtime),
      inbox_(runtime, *this),
      handle_(options, inbox_) {}

Session::~Session() {
  end_background();
  end(SessionState::kClosed);
}

SessionId Session::id() const { return credentials_ ? credentials_->session() : 0; }

void Session::submit(Request request, internal::Completion& completion) {
  if (is_over(state())) return fail(&completion, end_error());
  if (request.op == OpCode::kClose) return begin_close(completion);
  send(request, &completion);
}

void Session::send(const Request& request, internal::Completion* completion) {
  if (request.watch) request.watch->retain();
  const RequestId id = pending_.add(PendingRequest(request.op, completion, request.watch));
  last_sent_ = runtime_.now();
  const int rc = handle_.send(request, id);
  // ZINVALIDSTATE: the C client knows already that the session is over. The message that says so
  // is on its way, and listeners hear of it first.
  if (rc == ZOK || rc == ZINVALIDSTATE) return;
  static_cast<void>(pending_.take(id));
  if (request.watch) request.watch->release();
  fail(completion, error_of(rc));
}

void Session::abandon(internal::Completion& completion) noexcept {
  if (closing_ == &completion) closing_ = nullptr;
  pending_.abandon(completion);
}

void Session::begin_close(internal::Completion& completion) {
  closing_ = &completion;
  end(SessionState::kClosed);
}

void Session::receive(Message& message) {
  // What comes after the end is of no interest, except that the C client is gone.
  if (is_over(state()) && !std::holds_alternative<ClosedMessage>(message)) return;
  std::visit([this](auto& kind) { on(kind); }, message);
}

void Session::on(ReplyMessage& message) {
  // The server answers like this while it is closing the session, before it drops the connection.
  if (message.rc == ZSESSIONEXPIRED) return end(SessionState::kExpired);
  if (came_from_server(message.rc)) last_contact_ = message.received;
  const std::optional<PendingRequest> request = pending_.take(message.id);
  if (!request) return;
  if (request->watch) keep_or_drop_watch(*request, message);
  if (!request->completion) return;
  Reply reply = to_reply(message, request->op);
  request->completion->complete(reply);
}

// The C client registers a watcher when the read has succeeded, and for exists also when there is
// no such znode; otherwise it forgets it (zookeeper.c, the result checkers).
void Session::keep_or_drop_watch(const PendingRequest& request, const ReplyMessage& reply) {
  const bool registered = reply.rc == ZOK || (request.op == OpCode::kExists && reply.rc == ZNONODE);
  if (registered && !request.watch->forgotten()) {
    watches_.emplace(reply.id, request.watch);
  } else {
    request.watch->release();
  }
}

void Session::on(WatchMessage& event) {
  last_contact_ = event.received;
  const auto found = watches_.find(event.id);
  if (found == watches_.end()) return;
  internal::WatchState* const watch = found->second;
  watches_.erase(found);
  watch->resolve(WatchEvent(static_cast<EventType>(event.type), Path(event.path)));
  watch->release();
}

void Session::on(ConnectedMessage& connected) {
  handle_.connected(connected.handle);
  credentials_ = connected.credentials;
  session_timeout_ = connected.session_timeout;
  last_contact_ = connected.received;
  last_sent_ = connected.received;
  runtime_.stop_timer(heartbeat_);
  runtime_.start_timer(heartbeat_, last_sent_ + session_timeout_ / 4);
  change_state(SessionState::kConnected);
}

void Session::on(ClosedMessage&) {
  handle_closed_ = true;
  internal::Completion* const closing = std::exchange(closing_, nullptr);
  if (!closing) return;
  Reply done;
  closing->complete(done);
}

void Session::end(SessionState state) {
  if (is_over(this->state())) return;
  runtime_.stop_timer(heartbeat_);
  change_state(state);
  fail_everything(end_error());
  handle_.close();
}

// The C client tells its watchers of the end of a session first, then fails requests in order.
void Session::fail_everything(Error error) {
  while (!watches_.empty()) {
    internal::WatchState* const watch = watches_.extract(watches_.begin()).mapped();
    watch->resolve(failure(error));
    watch->release();
  }
  while (const std::optional<PendingRequest> request = pending_.take_oldest()) {
    if (request->watch) request->watch->release();
    fail(request->completion, error);
  }
}

// A quarter of the session timeout: the C client itself pings after a third without a request.
void Session::beat() {
  const Duration period = session_timeout_ / 4;
  if (state() == SessionState::kConnected && pending_.empty() &&
      runtime_.now() >= last_sent_ + period) {
    send(Request(OpCode::kExists, Path()), nullptr);
  }
  const TimePoint next = last_sent_ + period;
  runtime_.start_timer(heartbeat_, next > runtime_.now() ? next : runtime_.now() + period);
}

}  // namespace lockstep::zookeeper
