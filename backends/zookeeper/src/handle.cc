#include "handle.h"

#include <zookeeper/zookeeper.h>

#include <chrono>
#include <new>
#include <utility>
#include <variant>

#include "callbacks.h"
#include "calls.h"
#include "multi_call.h"

namespace lockstep::zookeeper {

namespace {

// How long closing waits for the replies of requests in flight.
constexpr std::chrono::seconds kDrainLimit(1);

}  // namespace

Handle::Handle(const Options& options, Inbox& inbox)
    : inbox_(inbox), connector_(options, failures_, *this), thread_([this] { run(); }) {}

Handle::~Handle() {
  close(false);
  thread_.join();
}

void Handle::close(bool server_may_send_more) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(close_requested_, true)) return;
  server_may_send_more_ = server_may_send_more;
  connector_.stop();
  changed_.notify_all();
}

void Handle::note(std::string_view subject, std::string_view reason) noexcept {
  try {
    connector_.note(subject, reason);
  } catch (const std::bad_alloc&) {
    // It is only for people.
  }
}

void Handle::run() {
  if (zhandle_t* const handle = connector_.run(CallbackContext(entry_.key(), 0).pointer())) {
    wait_for_replies();
    zookeeper_close(handle);
    if (server_may_send_more()) connector_.end_session();
  }
  connector_.finish_lookup();
  inbox_.push(ClosedMessage());
}

void Handle::deliver(Message message) {
  if (auto* const connected = std::get_if<ConnectedMessage>(&message)) {
    connected->handshake_not_before = connector_.handshake_not_before();
    connector_.connected(connected->credentials, connected->session_timeout);
  } else if (std::holds_alternative<ExpiredMessage>(message)) {
    connector_.note("session", "the server has rejected it: it has expired");
  } else if (std::holds_alternative<AuthFailedMessage>(message)) {
    connector_.note("session", "the server has rejected a credential");
  }
  inbox_.push(std::move(message));
}

// zookeeper_close() sends the close request and waits for any data on the socket. If that is an
// earlier reply, it drops the connection before the server has read the request, and the session
// lives on until it expires.
void Handle::wait_for_replies() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kDrainLimit, [this] { return unanswered_ == 0; });
}

bool Handle::server_may_send_more() {
  const std::lock_guard lock(mutex_);
  return server_may_send_more_;
}

void Handle::deliver_reply(ReplyMessage reply) {
  inbox_.push(std::move(reply));
  const std::lock_guard lock(mutex_);
  if (--unanswered_ == 0 && close_requested_) changed_.notify_all();
}

bool Handle::is_connected() const { return zoo_state(handle_) == ZOO_CONNECTED_STATE; }

// Counts before the request is sent: its reply may overtake the return of the call.
void Handle::count_request() {
  const std::lock_guard lock(mutex_);
  ++unanswered_;
}

int Handle::uncount_if_refused(int rc) {
  if (rc == ZOK) return rc;
  const std::lock_guard lock(mutex_);
  --unanswered_;
  return rc;
}

int Handle::send(const Request& request, RequestId id) noexcept {
  count_request();
  int rc = ZMARSHALLINGERROR;
  try {
    rc = send_counted(request, id);
  } catch (const std::bad_alloc&) {  // The C client has seen nothing of the request.
    forget_multi(id);
  }
  return uncount_if_refused(rc);
}

int Handle::send_counted(const Request& request, RequestId id) {
  if (request.op == OpCode::kMulti) return send_multi(request, id);
  return call(handle_, request, CallbackContext(entry_.key(), 0).pointer(),
              CallbackContext(entry_.key(), id).pointer());
}

int Handle::send_multi(const Request& request, RequestId id) {
  auto owned = std::make_unique<MultiCall>(request.ops());
  MultiCall& multi = *owned;
  {
    const std::lock_guard lock(mutex_);
    multis_.emplace(id, std::move(owned));
  }
  const int rc = send_if_connected(multi, request, id);
  if (rc != ZOK) forget_multi(id);
  return rc;
}

void Handle::forget_multi(RequestId id) {
  const std::lock_guard lock(mutex_);
  multis_.erase(id);
}

// If the C client learns during zoo_amulti() that the session is over, it crashes: after the first
// operation that it refuses, it frees memory that it never allocated (zookeeper.c,
// free_duplicate_path). It never learns this on a live connection, only when it connects again.
int Handle::send_if_connected(MultiCall& multi, const Request& request, RequestId id) {
  const auto stays = connector_.keep_from_leaving();
  if (!is_connected()) return ZINVALIDSTATE;
  return multi.send(handle_, request.ops(), CallbackContext(entry_.key(), id).pointer());
}

std::vector<OpOutcome> Handle::take_outcomes(RequestId multi) {
  std::unique_lock lock(mutex_);
  const auto call = multis_.extract(multi);
  lock.unlock();
  return call.mapped()->outcomes();
}

}  // namespace lockstep::zookeeper
