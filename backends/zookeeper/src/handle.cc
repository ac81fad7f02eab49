#include "handle.h"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "callbacks.h"
#include "calls.h"
#include "handle_table.h"
#include "multi_call.h"

namespace lockstep::zookeeper {

namespace {

// How long closing waits for the replies of requests under way.
constexpr std::chrono::seconds kDrainLimit(1);
// Between two attempts when no host name of the connection string can be resolved.
constexpr std::chrono::milliseconds kResolvePause(500);

// Above level 0 the C client formats addresses into one buffer of the whole process, whichever
// handle logs (zookeeper.c, format_endpoint_info): with two sessions that is a data race.
void set_log_level(ClientLog log) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): it has no name for silence.
  zoo_set_debug_level(log == ClientLog::kSilent ? static_cast<ZooLogLevel>(0) : ZOO_LOG_LEVEL_INFO);
}

}  // namespace

Handle::Handle(const Options& options, Inbox& inbox)
    : options_(options),
      inbox_(inbox),
      key_(HandleTable::instance().add(*this)),
      thread_([this] { run(); }) {}

Handle::~Handle() {
  close();
  thread_.join();
}

void Handle::close() {
  const std::lock_guard lock(mutex_);
  close_requested_ = true;
  changed_.notify_all();
}

void Handle::run() {
  if (zhandle_t* const handle = open()) {
    wait_for_replies();
    zookeeper_close(handle);
  }
  HandleTable::instance().remove(key_);
  inbox_.push(ClosedMessage());
}

zhandle_t* Handle::open() {
  set_log_level(options_.log);
  for (;;) {
    if (zhandle_t* const handle = open_once()) return handle;
    // The options are well formed, so this is about name resolution and may pass.
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kResolvePause, [this] { return close_requested_; })) return nullptr;
  }
}

zhandle_t* Handle::open_once() const {
  clientid_t attach_to{};
  if (options_.attach_to) {
    attach_to.client_id = options_.attach_to->session();
    const std::array<char, 16>& password = options_.attach_to->password();
    std::copy(password.begin(), password.end(), std::begin(attach_to.passwd));
  }
  const auto session_timeout_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.session_timeout).count();
  zhandle_t* const handle = zookeeper_init2(
      options_.servers().c_str(), &callbacks::session_event, static_cast<int>(session_timeout_ms),
      options_.attach_to ? &attach_to : nullptr, CallbackContext(key_, 0).pointer(),
      ZOO_NO_LOG_CLIENTENV, options_.log == ClientLog::kSilent ? &callbacks::ignore_log : nullptr);
  // Names are resolved on every connection loss; by default also at every turn of the IO loop.
  if (handle) zoo_set_servers_resolution_delay(handle, -1);
  return handle;
}

// zookeeper_close() sends the close request and then waits for anything to arrive on the socket. If
// that is an earlier reply, it drops the connection before the server has read the request, and the
// session lives on until it expires.
void Handle::wait_for_replies() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return close_requested_; });
  changed_.wait_for(lock, kDrainLimit, [this] { return unanswered_ == 0; });
}

void Handle::deliver_reply(ReplyMessage reply) {
  inbox_.push(std::move(reply));
  const std::lock_guard lock(mutex_);
  if (--unanswered_ == 0 && close_requested_) changed_.notify_all();
}

bool Handle::is_connected() const { return zoo_state(handle_) == ZOO_CONNECTED_STATE; }

// Before the call: the reply may overtake its return.
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

int Handle::send(const Request& request, RequestId id) {
  count_request();
  if (request.op == OpCode::kMulti) return uncount_if_refused(send_multi(request, id));
  return uncount_if_refused(call(handle_, request, CallbackContext(key_, 0).pointer(),
                                 CallbackContext(key_, id).pointer()));
}

int Handle::send_multi(const Request& request, RequestId id) {
  auto owned = std::make_unique<MultiCall>(request.ops());
  MultiCall& multi = *owned;
  {
    const std::lock_guard lock(mutex_);
    multis_.emplace(id, std::move(owned));
  }
  const int rc = multi.send(handle_, request.ops(), CallbackContext(key_, id).pointer());
  if (rc != ZOK) {
    const std::lock_guard lock(mutex_);
    multis_.erase(id);
  }
  return rc;
}

std::vector<OpOutcome> Handle::take_outcomes(RequestId multi) {
  std::unique_lock lock(mutex_);
  const auto call = multis_.extract(multi);
  lock.unlock();
  return call.mapped()->outcomes();
}

}  // namespace lockstep::zookeeper
