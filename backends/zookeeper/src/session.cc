#include "session.h"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "lockstep/internal/refusal.h"

namespace lockstep::zookeeper {

namespace {

// The most removals of abandoned watches in flight, and the share (1 / kManyAbandoned) of the watch
// limit from which they are sent even beside other requests.
constexpr std::size_t kMostRemovals = 64;
constexpr std::size_t kManyAbandoned = 12;

// The C client's error codes are ours, except that it fails the requests in flight with "runtime
// inconsistency" when an unexpected reply makes it drop a connection.
Error error_of(int rc) {
  return rc == ZRUNTIMEINCONSISTENCY ? Error::kConnectionLoss : static_cast<Error>(rc);
}

// While a session ends, and before it drops the connection, the server answers with one of these:
// -12 (KeeperException.UnknownSessionException, which zookeeper.h does not name) comes from a
// standalone server that has forgotten the session (SessionTrackerImpl.checkSession).
bool says_session_is_over(int rc) {
  constexpr int kUnknownSession = -12;
  return rc == ZSESSIONEXPIRED || rc == kUnknownSession;
}

// Codes below ZAPIERROR are the server's, except those that report how the session ended.
bool came_from_server(int rc) {
  return rc == ZOK || (rc < ZAPIERROR && rc != ZAUTHFAILED && rc != ZCLOSING);
}

// Whether the leader has ordered the request, whatever its result. Errors that a server reports
// without the leader (a moved session, too many requests) prove nothing.
bool was_ordered(const PendingRequest& request, const ReplyMessage& reply) {
  constexpr std::array kVerdicts = {ZOK,         ZNONODE,   ZNOAUTH,     ZBADVERSION,
                                    ZNODEEXISTS, ZNOTEMPTY, ZINVALIDACL, ZNOCHILDRENFOREPHEMERALS};
  return is_ordered(request.op) && std::ranges::find(kVerdicts, reply.rc) != kVerdicts.end();
}

// Without an answer from the server, the C client fails a multi as a whole.
bool concerns_an_op(int rc) {
  const Error error = error_of(rc);
  return !outcome_unknown(error) && !session_is_over(error) && error != Error::kMarshallingError &&
         error != Error::kThrottledOp;
}

// The operations before the failed one were undone and show no error; those after it were not
// tried. If the request failed as a whole, all show the same error.
std::int32_t failed_op(const ReplyMessage& message) {
  if (!concerns_an_op(message.rc)) return -1;
  const auto has_failed = [](const OpOutcome& outcome) {
    return outcome.rc != ZOK && outcome.rc != ZRUNTIMEINCONSISTENCY;
  };
  if (std::ranges::count_if(message.outcomes, has_failed) != 1) return -1;
  const auto failed = std::ranges::find_if(message.outcomes, has_failed);
  return static_cast<std::int32_t>(failed - message.outcomes.begin());
}

std::vector<OpResult> to_results(std::vector<OpOutcome>& outcomes) {
  std::vector<OpResult> results;
  results.reserve(outcomes.size());
  for (OpOutcome& outcome : outcomes) {
    OpResult& result = results.emplace_back(outcome.op);
    if (outcome.op == OpCode::kCreate) result.path = Path(outcome.path);
    result.stat = outcome.stat;
  }
  return results;
}

Reply to_reply(ReplyMessage& message, OpCode op) {
  if (message.rc != ZOK) {
    Reply failure(error_of(message.rc));
    const std::int32_t failed = op == OpCode::kMulti ? failed_op(message) : -1;
    if (failed != -1) failure.set_details(ReplyDetails::failed_at(failed));
    return failure;
  }
  Reply reply;
  reply.set_stat(message.stat);
  if (op == OpCode::kCreate) reply.path = Path(message.bytes);
  if (op == OpCode::kGetData && message.has_bytes) reply.data = Data(message.bytes);
  reply.children = std::move(message.children);
  if (op != OpCode::kGetAcl && op != OpCode::kMulti) return reply;
  ReplyDetails details;
  details.acl = std::move(message.acl);
  details.results = to_results(message.outcomes);
  reply.set_details(std::move(details));
  return reply;
}

void fail(internal::Completion* completion, Error error) {
  if (!completion) return;
  Reply reply(error);
  completion->complete(reply);
}

}  // namespace

Session::Session(Runtime& runtime, const Options& options)
    : lockstep::Session(runtime, runtime.random(), options.chroot()),
      runtime_(runtime),
      inbox_(runtime, *this),
      watch_limit_(options.packet_limit / 4 * 3),
      handle_(options, inbox_) {
  set_options(options);
  keep_contact_always();
  for (const AuthInfo& info : options.auth) send_first(info);
}

// Nothing is passed to the C client while something waits here, so this credential goes before all
// other requests. The C client itself sends it again when it reconnects.
void Session::send_first(const AuthInfo& info) {
  Request request(OpCode::kAddAuth, Path());
  request.set_details(RequestDetails(Text(info.scheme)));
  request.data = info.credential;
  const RequestId id = add_pending(request, nullptr);
  waiting_.emplace_back(id, std::move(request));
}

Session::~Session() {
  end_background();
  end(SessionState::kClosed, true);
  runtime_.withdraw(sweep_);
}

SessionId Session::id() const { return credentials_ ? credentials_->session() : 0; }

void Session::submit(Request&& request, internal::Completion& completion) {
  if (is_over(state())) return fail(&completion, end_error());
  if (runtime_.is_in_child()) return fail(&completion, Error::kInvalidState);
  if (request.op == OpCode::kClose) return begin_close(completion);
  if (const std::optional<MultiError> why = internal::refusal_of(request, packet_limit())) {
    Reply reply(why->error);
    if (why->op) reply.set_details(ReplyDetails::failed_at(static_cast<std::int32_t>(*why->op)));
    return completion.complete(reply);
  }
  if (exceeds_watch_limit(request)) return fail(&completion, Error::kWatchLimit);
  if (request.op == OpCode::kCheckWatches && !watches_.complete(request)) {
    return fail(&completion, Error::kNoWatcher);
  }
  const RequestId id = add_pending(request, &completion);
  if (waiting_.empty() && can_be_sent(request.op, id) && send(request, id)) return;
  const bool for_news = waiting_.empty() && state() == SessionState::kConnected && !is_fresh();
  try {
    waiting_.emplace_back(id, std::move(request));
  } catch (...) {
    withdraw(id);
    throw;
  }
  if (for_news) ask_server();  // Its reply sends the waiting requests.
}

bool Session::exceeds_watch_limit(const Request& request) const {
  if (!request.watched) return false;
  const std::size_t added = watches_.bytes_added_by(request.op, request.path);
  return added != 0 && watches_.bytes() + added > watch_limit_;
}

bool Session::has_room_for(std::size_t watch_bytes) const {
  return std::max(room_set_aside_, watches_.bytes()) + watch_bytes <= watch_limit_;
}

bool Session::is_idle() const {
  return room_set_aside_ == 0 && pending_.empty() && watches_.bytes() == 0 && background().empty();
}

RequestId Session::add_pending(Request& request, internal::Completion* completion) {
  if (!request.watched) return pending_.add(PendingRequest(request, completion, runtime_.now()));
  watches_.asked(request.op, request.path);
  try {
    return pending_.add(PendingRequest(request, completion, runtime_.now()));
  } catch (...) {
    watches_.answered(request.op, request.path);
    throw;
  }
}

// Without a connection nothing is passed to the C client: it would fail the requests when it is let
// go from the gate. Multis and credentials have stronger conditions. A multi must not meet the end
// of the session (Handle::is_connected), and a rejected credential ends the session. The C client
// refuses a credential without a connection, and puts it in front of everything unsent, even of a
// half-sent request.
bool Session::can_be_sent(OpCode op, RequestId id) const {
  if (state() != SessionState::kConnected) return false;
  if (!window_.has_room_for(op)) return false;
  if (op != OpCode::kMulti && op != OpCode::kAddAuth) return true;
  if (!handle_.is_connected() || authenticating_) return false;
  return op == OpCode::kMulti ? is_fresh() : pending_.is_oldest(id);
}

// A session cannot expire before it has been silent for its timeout. Its contact stays fresh unless
// the server is out of reach or this process did not run for a while: only then may the C client be
// about to learn of the end, on another thread, in the middle of a multi.
bool Session::is_fresh() const { return runtime_.now() < last_contact_ + session_timeout_ / 2; }

bool Session::send(const Request& request, RequestId id) {
  pending_[id].sent = runtime_.now();
  window_.sent(pending_[id].expected_bytes = window_.expected(request.op));
  const int rc = request.op == OpCode::kCheckWatches ? send_remove_watch(request, id)
                                                     : handle_.send(request, id);
  if (rc == ZOK && request.op == OpCode::kAddAuth) {
    has_credential_ = true;
    after_credentials_ = id;
    try {
      ask_after_credentials();  // Released C clients send a credential only with the next request.
    } catch (const std::bad_alloc&) {
      // Its own reply will do, which comes later.
    }
  }
  // Between two connections the C client takes none of these, so the request goes with the next
  // one.
  const bool needs_connection = request.op == OpCode::kAddAuth || request.op == OpCode::kMulti;
  if (rc == ZINVALIDSTATE && needs_connection) {
    window_.over(std::exchange(pending_[id].expected_bytes, 0));
    return false;
  }
  // ZINVALIDSTATE: the C client already knows that the session is over. The message that says so is
  // on its way, and listeners must see it first.
  if (rc == ZOK || rc == ZINVALIDSTATE) return true;
  const std::optional<PendingRequest> refused = pending_.take(id);
  window_.over(refused->expected_bytes);
  ReplyMessage refusal(id, rc, runtime_.now());
  answer(*refused, refusal);  // Needs no memory.
  return true;
}

// The C client asks the server about its entry for a path and a table, and removes the entry. If
// another watch shares the entry, it must stay; then an exists takes the place of the request, and
// is answered in the same order. The server keeps the other watch in any case.
int Session::send_remove_watch(const Request& request, RequestId id) {
  const std::optional<internal::WatchRegistry::Place> place =
      watches_.find(pending_[id].watch.get());
  if (!place) return ZNOWATCHER;
  pending_[id].alone = place->alone;
  return handle_.send(place->alone ? request : Request(OpCode::kExists, request.path), id);
}

void Session::send_waiting() {
  while (!waiting_.empty() && can_be_sent(waiting_.front().request.op, waiting_.front().id)) {
    if (!send(waiting_.front().request, waiting_.front().id)) break;
    waiting_.pop_front();
  }
  // A multi may wait for a reply that makes the session fresh again, although no request is in
  // flight.
  const bool unanswered = pending_.size() > waiting_.size();
  if (!waiting_.empty() && state() == SessionState::kConnected && !unanswered) ask_server();
}

RequestId Session::ask_server() {
  Request request(OpCode::kExists, Path());
  const RequestId id = add_pending(request, nullptr);
  static_cast<void>(send(request, id));  // An exists does not need the connection.
  return id;
}

void Session::ask_after_credentials() {
  authenticating_ = true;
  after_credentials_ = ask_server();
}

// Drops a request that the C client has not seen yet: it would be applied at some unknown time
// although its caller does not wait for it.
void Session::abandon(internal::Completion& completion) noexcept {
  if (closing_ == &completion) closing_ = nullptr;
  const RequestId id = pending_.abandon(completion);
  if (waiting_.empty() || id < waiting_.front().id) return;
  const auto found = std::ranges::lower_bound(waiting_, id, {}, &Waiting::id);
  if (found == waiting_.end() || found->id != id) return;
  waiting_.erase(found);
  withdraw(id);
}

void Session::withdraw(RequestId id) noexcept {
  std::optional<PendingRequest> withdrawn = pending_.take(id);
  withdrawn->completion = nullptr;
  // The error does not matter: it reaches no caller.
  ReplyMessage never_asked(id, ZBADARGUMENTS, runtime_.now());
  answer(*withdrawn, never_asked);
}

void Session::begin_close(internal::Completion& completion) {
  closing_ = &completion;
  end(SessionState::kClosed, true);
}

void Session::receive(Message& message) {
  // After the end of the session, only the end of the C client matters.
  if (is_over(state()) && !std::holds_alternative<ClosedMessage>(message)) return;
  try {
    std::visit([this](auto& kind) { on(kind); }, message);
  } catch (const std::bad_alloc&) {
    give_up_without_memory();
  }
}

// A lost reply or event would keep its waiter for ever, and what the session knows of the C client
// would be wrong. Ending it takes no memory.
void Session::give_up_without_memory() {
  if (is_over(state())) return;
  given_up_ = true;
  end(SessionState::kExpired, true);
  handle_.note("session", "given up: no memory for a message");
}

void Session::on(ReplyMessage& message) {
  if (says_session_is_over(message.rc)) return end(SessionState::kExpired);
  suspend_after(error_of(message.rc));
  // This answers an add_auth. Listeners see the end of the session before its caller does.
  if (message.rc == ZAUTHFAILED) return end(SessionState::kAuthFailed);
  if (came_from_server(message.rc)) last_contact_ = message.received;
  if (message.id == after_credentials_) authenticating_ = false;
  tell_listeners(message);
  const PendingRequest* const waiting = pending_.find(message.id);
  if (!waiting) return;
  answer(*waiting, message);  // Without memory for it, the request fails with the session.
  const std::optional<PendingRequest> request = pending_.take(message.id);
  window_.over(request->expected_bytes);
  if (message.rc == ZOK) window_.learn(request->op, message.size);
  fail_waiting();
  send_waiting();
  remove_abandoned();
}

// The replies of a lost connection come before its successor is reported, but they may be all that
// reports the loss: the C client tells its watcher nothing if it drops the connection in the call
// that makes a request, as when the pipe to its I/O thread is full (zookeeper.c, nonblocking_send).
// And the reply to a credential comes from another thread than the report, and may arrive first.
void Session::suspend_after(Error error) {
  const bool lost = outcome_unknown(error);
  if (lost && state() == SessionState::kConnected) change_state(SessionState::kSuspended);
}

// Before the request leaves the table: a listener may abandon it.
void Session::tell_listeners(const ReplyMessage& reply) {
  const PendingRequest* const request = pending_.find(reply.id);
  if (!request) return;
  if (came_from_server(reply.rc)) contact_answered(request->sent, was_ordered(*request, reply));
}

void Session::answer(const PendingRequest& request, ReplyMessage& reply) {
  if (concerns_watches(request.op)) {
    on_watches_reply(request, reply);
  } else if (request.watch) {
    register_watch(request, reply.rc);
  }
  if (!request.completion) return;
  Reply told = to_reply(reply, request.op);
  request.completion->complete(told);
}

void Session::register_watch(const PendingRequest& read, int rc) {
  const std::optional<Error> error = rc == ZOK ? std::nullopt : std::optional(error_of(rc));
  const internal::WatchTable table = internal::table_of(read.op, error);
  if (table != internal::WatchTable::kNone) watches_.add(table, read.path, *read.watch);
  watches_.answered(read.op, read.path);
}

void Session::on_watches_reply(const PendingRequest& request, ReplyMessage& reply) {
  if (request.op == OpCode::kCheckWatches) {
    if (!request.alone && reply.rc == ZNONODE) reply.rc = ZOK;  // The exists has answered instead.
    if (reply.rc != ZOK) return;
    const bool taken_back = watches_.take_back(*request.watch, request.alone);
    if (!taken_back && !request.alone) reply.rc = ZNOWATCHER;  // The watch has fired meanwhile.
    return;
  }
  if (reply.rc == ZOK) watches_.removed(request.path, request.watch_type);
  if (!request.in_background) return;
  --removals_;
  watches_.removal_ended(request.path, request.watch_type,
                         reply.rc != ZOK && !is_transient(error_of(reply.rc)));
}

// One request removes one entry, and an event may empty the entry first, as when all waiters of a
// queue leave. So other requests must not wait for removals: these are sent while there are no
// others, unless many paths are abandoned. Beyond a quarter of the watch limit they are sent as
// fast as watches are abandoned: otherwise abandoned watches would make the session refuse the next
// one.
bool Session::may_remove_abandoned() const {
  if (state() != SessionState::kConnected || !waiting_.empty()) return false;
  const std::size_t bytes = watches_.abandoned_bytes();
  if (bytes > watch_limit_ / 4) return true;
  return removals_ < kMostRemovals &&
         (pending_.size() == removals_ || bytes > watch_limit_ / kManyAbandoned);
}

void Session::remove_abandoned() {
  while (may_remove_abandoned()) {
    const std::optional<internal::WatchRegistry::Abandoned> entry = watches_.next_abandoned();
    if (!entry) return;
    Request request(OpCode::kRemoveWatches, entry->path);
    request.watch_type = entry->type;
    RequestId id = 0;
    try {
      id = add_pending(request, nullptr);
    } catch (const std::bad_alloc&) {  // The next reply tries again.
      return watches_.removal_ended(entry->path, entry->type, false);
    }
    pending_[id].in_background = true;
    ++removals_;
    static_cast<void>(send(request, id));
  }
}

void Session::on(WatchMessage& event) {
  last_contact_ = event.received;
  const EventType type = static_cast<EventType>(event.type);
  const Path path(event.path);
  fire(watches_, type, path);
}

void Session::on(ConnectedMessage& connected) {
  handle_.connected(connected.handle);
  credentials_ = connected.credentials;
  session_timeout_ = connected.session_timeout;
  last_contact_ = connected.received;
  contact_opened(connected.handshake_not_before, session_timeout_);
  // A listener may have closed it.
  if (is_over(state())) return;
  if (has_credential_) ask_after_credentials();  // The C client sends all of them again.
  watches_.reconnected();
  fail_waiting_to_ = 0;
  change_state(SessionState::kConnected);
  send_waiting();
  remove_abandoned();
}

void Session::on(ClosedMessage&) {
  handle_closed_ = true;
  internal::Completion* const closing = std::exchange(closing_, nullptr);
  if (!closing) return;
  Reply done;
  closing->complete(done);
}

// A failed attempt to connect fails the requests that wait for a connection, as with the C client
// alone. Multis and credentials, and the requests after them, keep waiting.
void Session::on(AttemptFailedMessage&) {
  if (state() != SessionState::kSuspended || waiting_.empty()) return;
  fail_waiting_to_ = waiting_.back().id;
  fail_waiting();
}

void Session::fail_waiting() {
  while (!waiting_.empty() && waiting_.front().id <= fail_waiting_to_) {
    const RequestId id = waiting_.front().id;
    const OpCode op = waiting_.front().request.op;
    if (op == OpCode::kMulti || op == OpCode::kAddAuth || !pending_.is_oldest(id)) return;
    waiting_.pop_front();
    const std::optional<PendingRequest> failed = pending_.take(id);
    ReplyMessage loss(id, ZCONNECTIONLOSS, runtime_.now());
    answer(*failed, loss);
  }
}

void Session::on(GivenUpMessage&) {
  given_up_ = true;
  end(SessionState::kExpired);
}

void Session::end(SessionState state, bool at_server) {
  if (is_over(this->state())) return;
  const bool events_or_replies_may_come =
      watches_.bytes() != 0 || pending_.size() > waiting_.size();
  change_state(state);
  fail_everything(end_error());
  handle_.close(at_server && events_or_replies_may_come);
}

// The C client first notifies its watchers of the end of a session, then fails requests in order.
void Session::fail_everything(Error error) {
  waiting_.clear();
  watches_.end(error);
  while (const std::optional<PendingRequest> request = pending_.take_oldest()) {
    fail(request->completion, error);
  }
}

}  // namespace lockstep::zookeeper
