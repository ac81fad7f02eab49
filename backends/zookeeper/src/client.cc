#include "lockstep/zookeeper/client.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "backoff.h"
#include "c_handle.h"
#include "lockstep/sleep.h"
#include "server_list.h"
#include "session.h"

namespace lockstep::zookeeper {

namespace {

// One call at a time, whichever session has a line.
LogSink in_turn(LogSink sink) {
  if (!sink) return sink;
  return [mutex = std::make_shared<std::mutex>(), sink = std::move(sink)](std::string_view line) {
    const std::lock_guard lock(*mutex);
    sink(line);
  };
}

// A forked child must neither end its parent's session nor wait for threads that do not exist in
// it.
void leave_behind(std::shared_ptr<Session> session) {
  static auto& left = *new std::vector<std::shared_ptr<Session>>;  // Never destroyed.
  left.push_back(std::move(session));
}

// Spaces the attempts of one call that cannot start a session, and bounds them as RetryPolicy
// bounds the opening of one: the wait for a thread and the opening that follows it together.
class Attempts {
 public:
  Attempts(Runtime& runtime, const RetryPolicy& policy)
      : runtime_(runtime),
        limit_(policy.give_up_opening_after),
        backoff_(policy.base_delay, policy.longest_delay) {}
  Sleep pause(const lockstep::Context& context) {
    if (!give_up_) give_up_ = after(runtime_.now(), limit_);
    const TimePoint end = std::min(*give_up_, context.deadline().value_or(TimePoint::max()));
    const Duration wait = std::max<Duration>(backoff_.next(runtime_.random()), kShortestPause);
    return sleep_for(runtime_, wait, lockstep::Context(end, context.stop()));
  }
  // How long the opening of a session that starts now may take.
  [[nodiscard]] Duration left() const {
    if (!give_up_ || *give_up_ == TimePoint::max()) return limit_;
    return std::max(*give_up_ - runtime_.now(), Duration(0));
  }
  // The session that was found is over, so another one is to be opened.
  void begin_again() {
    give_up_.reset();
    backoff_.reset();
  }

 private:
  // Without one, the loop would do nothing else.
  static constexpr std::chrono::milliseconds kShortestPause{10};

  Runtime& runtime_;
  const Duration limit_;
  Backoff backoff_;
  std::optional<TimePoint> give_up_;  // Set by the first pause.
};

}  // namespace

Client::Client(Runtime& runtime, Options options)
    : runtime_(runtime), options_(std::move(options)) {
  options_.log = in_turn(std::move(options_.log));
}

Client::~Client() {
  if (runtime_.is_in_child()) {
    for (auto& session : retired_) leave_behind(std::move(session));
    for (Open& open : sessions_) leave_behind(std::move(open.session));
    return;
  }
  runtime_.stop_timer(spare_check_);
  for (const Open& open : sessions_) open.session->end_by_owner();
}

// Reserves room on a session for its own lifetime.
class Client::Room {
 public:
  Room(std::shared_ptr<Session> session, std::size_t bytes)
      : session_(std::move(session)), bytes_(bytes) {
    session_->set_room_aside(bytes_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { session_->give_room_back(bytes_); }

 private:
  std::shared_ptr<Session> session_;
  std::size_t bytes_;
};

Task<Result<std::shared_ptr<lockstep::Session>>> Client::session(lockstep::Context context) {
  runtime_.check_is_current();
  if (const std::optional<Error> defect = defect_of_options()) co_return failure(*defect);
  Attempts attempts(runtime_, options_.retry);
  for (;;) {
    const std::shared_ptr<Session> session = first_session(attempts.left());
    if (!session) {
      const Result<void> paused = co_await attempts.pause(context);
      if (paused) continue;
      co_return failure(why_no_session(paused.error()));
    }
    const SessionState found = session->state();
    const Result<void> connected = co_await session->connected(context);
    if (connected) co_return session;
    if (!waits_for_the_next(*session, found, connected.error())) {
      co_return failure(why_not_connected(*session, connected.error()));
    }
    attempts.begin_again();
  }
}

std::string Client::last_failure() const {
  if (const std::optional<std::string> defect = options_.defect()) return *defect;
  for (const Open& open : sessions_) {
    std::string failure = open.session->last_failure();
    if (!failure.empty()) return failure;
  }
  return why_not_opened_.empty() ? std::string() : "session: " + why_not_opened_;
}

Result<void> Client::set_servers(const std::string& servers) {
  ServerList list(servers);
  if (list.defect()) return failure(Error::kBadArguments);
  options_.connection_string.replace(0, options_.servers().size(), servers);
  for (const Open& open : sessions_) open.session->set_servers(list.servers());
  return {};
}

Task<Result<SessionRoom>> Client::session_with_room(std::size_t bytes, lockstep::Context context) {
  runtime_.check_is_current();
  if (const std::optional<Error> defect = defect_of_options()) co_return failure(*defect);
  bytes += options_.chroot().view().size();
  Attempts attempts(runtime_, options_.retry);
  for (;;) {
    const std::shared_ptr<Session> session = one_with_room(bytes, attempts.left());
    if (!session) {
      const Result<void> paused = co_await attempts.pause(context);
      if (paused) continue;
      co_return failure(why_no_session(paused.error()));
    }
    std::shared_ptr<void> room;
    if (options_.max_sessions > 1 && session->has_room_for(bytes)) {
      room = std::make_shared<Room>(session, bytes);
    }
    const SessionState found = session->state();
    const Result<void> connected = co_await session->connected(context);
    if (connected) co_return SessionRoom(session, std::move(room));
    if (!waits_for_the_next(*session, found, connected.error())) {
      co_return failure(why_not_connected(*session, connected.error()));
    }
    attempts.begin_again();
  }
}

// A session that was given up is replaced like one that has expired, unless the policy limits the
// whole time without a connection, which is over then.
bool Client::waits_for_the_next(const Session& session, SessionState found, Error error) const {
  const bool is_bounded = options_.retry.give_up_opening_after != RetryPolicy::kNever;
  return opens_another(found, error) && !(session.given_up() && is_bounded);
}

Error Client::why_not_connected(const Session& session, Error error) {
  return session.given_up() ? Error::kNotConnected : why_no_session(error);
}

std::optional<Error> Client::defect_of_options() const {
  if (!options_.defect()) return std::nullopt;
  return missing_feature(options_) ? Error::kUnimplemented : Error::kBadArguments;
}

std::shared_ptr<Session> Client::first_session(Duration opening_limit) {
  why_not_opened_.clear();
  retire_those_that_are_over();
  return sessions_.empty() ? open(opening_limit) : sessions_.front().session;
}

std::shared_ptr<Session> Client::one_with_room(std::size_t bytes, Duration opening_limit) {
  std::shared_ptr<Session> first = first_session(opening_limit);
  if (!first || options_.max_sessions == 1) return first;
  for (Open& open : sessions_) {
    if (!open.session->has_room_for(bytes)) continue;
    open.was_spare = false;
    return open.session;
  }
  const bool fits_on_one = bytes <= options_.packet_limit / 4 * 3;
  if (!fits_on_one || sessions_.size() >= options_.max_sessions) return first;
  check_for_spare_sessions_later();
  if (std::shared_ptr<Session> another = open(opening_limit)) return another;
  return first->state() == SessionState::kConnected ? first : nullptr;
}

// A process at its limit of threads or memory may have room for a session in a moment.
std::shared_ptr<Session> Client::open(Duration limit) {
  Options options = options_;
  options.retry.give_up_opening_after = limit;
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(runtime_, options);
  } catch (const std::system_error& error) {
    why_not_opened_ = error.what();
    return nullptr;
  }
  sessions_.emplace_back(session);
  session->set_observer(observer());
  options_.attach_to.reset();  // Attach only once: later sessions are our own.
  return session;
}

void Client::retire_those_that_are_over() {
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    if (is_over(sessions_[i].session->state())) retire(i);
  }
}

// A session that is over may still be closing, and its destructor would block until that is done.
void Client::retire(std::size_t index) {
  std::erase_if(retired_, [](const auto& session) { return session->handle_closed(); });
  retired_.push_back(std::move(sessions_[index].session));
  sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Client::check_for_spare_sessions_later() {
  runtime_.stop_timer(spare_check_);
  const TimePoint due = after(runtime_.now(), options_.spare_session_time);
  if (due != TimePoint::max()) runtime_.start_timer(spare_check_, due);
}

// A grant or an acquire in progress keeps a pointer to its session, which is then not spare.
void Client::close_spare_sessions() {
  for (std::size_t i = sessions_.size(); i-- > 1;) {
    Open& open = sessions_[i];
    const bool is_spare = open.session.use_count() == 1 && open.session->is_idle();
    if (is_spare && open.was_spare) {
      open.session->end_by_owner();
      retire(i);
    } else {
      open.was_spare = is_spare;
    }
  }
  if (sessions_.size() > 1) check_for_spare_sessions_later();
}

std::optional<Credentials> Client::credentials() const {
  if (sessions_.empty()) return std::nullopt;
  return sessions_.front().session->credentials();
}

}  // namespace lockstep::zookeeper
