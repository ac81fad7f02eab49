#include "connector.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "callbacks.h"
#include "in_ms.h"
#include "session_end.h"
#include "steady_now.h"

namespace lockstep::zookeeper {

namespace {

constexpr std::chrono::milliseconds kShortestBudget(250);
constexpr std::chrono::seconds kShortestGivingUp(30);
// How long to wait when this process has no descriptors left.
constexpr std::chrono::milliseconds kStarvation(100);
// The subject of failures that no server causes.
constexpr std::string_view kHere("this process");
constexpr std::string_view kNoAnswer("has not answered yet");

}  // namespace

Connector::Connector(const Options& options, FailureLog& failures, Listener& listener)
    : options_(options),
      failures_(failures),
      listener_(listener),
      log_(options.log),
      backoff_(options.retry.base_delay, options.retry.longest_delay),
      timeout_(options.session_timeout),
      now_(steady_now()),
      servers_(ServerList(options.servers()).servers()),
      lookup_(options_.resolver, [this] { wake(); }),
      lost_at_(now_) {
  released_at_.push_back(now_);
  guest_.speaks_tls = options.tls.has_value();
  if (!options.attach_to) return;
  guest_.session = options.attach_to->session();
  guest_.password = options.attach_to->password();
}

void Connector::connected(const Credentials& session, Duration session_timeout) {
  failures_.clear();  // Before the connection is reported.
  {
    const std::lock_guard lock(mutex_);
    news_.connected = true;
    news_.session.session = session.session();
    news_.session.password = session.password();
    news_.session_timeout = session_timeout;
  }
  wake();
}

void Connector::set_servers(std::vector<Server> servers) {
  {
    const std::lock_guard lock(mutex_);
    news_.servers = std::move(servers);
  }
  wake();
}

void Connector::release_confirmed() {
  const std::lock_guard lock(mutex_);
  if (released_at_.size() > 1) released_at_.pop_front();
}

TimePoint Connector::handshake_not_before() {
  const std::lock_guard lock(mutex_);
  return released_at_.front();
}

void Connector::stop() {
  stopping_ = true;
  wake();
}

void Connector::note(std::string_view subject, std::string_view reason) {
  if (!failures_.note(subject, reason)) return;
  log_.write("lockstep: " + std::string(subject) + ": " + std::string(reason));
}

zhandle_t* Connector::run(void* context) {
  if (!open(context)) return nullptr;
  while (!stopping_) {
    now_ = steady_now();
    take_news();
    take_addresses();
    if (gate_.receive(guest_) && !given_up_) arrive();
    if (!given_up_) {
      ask_for_addresses();
      miss_guest();
      if (gate_.has_guest()) seek();
      diagnose();
      give_up_if_due();
    }
    wait();
  }
  race_.reset();
  gate_.close();
  return handle_;
}

bool Connector::open(void* context) {
  context_ = context;
  zoo_deterministic_conn_order(1);  // Process-wide: the gate's lists depend on their order.
  while (!stopping_) {
    const std::optional<std::string> failure = try_to_open();
    if (!failure) return true;
    gate_.close();
    note(kHere, *failure);
    now_ = steady_now();
    ++failed_rounds_;
    give_up_if_due();
    if (given_up_) break;
    const TimePoint next_try = now_ + backoff_.next(random_);
    wait_until(std::min(next_try, give_up_time().value_or(TimePoint::max())), {});
  }
  return false;
}

// nullopt if the handle is open now; otherwise the reason.
std::optional<std::string> Connector::try_to_open() {
  if (!can_wake_) {
    wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) return "no eventfd: " + std::generic_category().message(errno);
    can_wake_ = true;
  }
  if (std::optional<std::string> failure = gate_.open(random_)) return failure;
  const SessionWatcher watcher(&callbacks::session_event, context_);
  handle_ = open_c_handle(options_, gate_.route(std::nullopt), watcher, log_.callback(), parts_);
  if (handle_ == nullptr) {
    return "the C client does not start: " + std::generic_category().message(errno);
  }
  zoo_set_servers_resolution_delay(handle_, -1);
  arrive_by_ = steady_now() + patience();
  return std::nullopt;
}

void Connector::end_session() {
  take_news();
  if (guest_.session == 0 || !target_) return;
  Options options = options_;
  options.attach_to = Credentials(guest_.session, guest_.password);
  end_by_another_handle(options, gate_.spelled(*target_), log_.callback());
}

void Connector::take_news() {
  News news;
  {
    const std::lock_guard lock(mutex_);
    std::swap(news, news_);
  }
  if (news.connected) heard_connected(news);
  if (!news.servers) return;
  servers_ = std::move(*news.servers);
  gather_addresses();  // An earlier lookup may run for long.
  ask_again_ = true;
  race_.reset();
  in_round_ = false;
  pause_until_.reset();
  backoff_.reset();
}

void Connector::heard_connected(const News& news) {
  guest_.session = news.session.session;
  guest_.password = news.session.password;
  timeout_ = news.session_timeout;
  opened_ = true;
  reached_ = true;
  race_.reset();
  in_round_ = false;
  failed_rounds_ = 0;
  diagnosis_.reset();
  diagnose_at_.reset();
  backoff_.reset();
  failures_.clear();
  // The C client may be back at the gate before the news of its connection arrives.
  lost_at_ = gate_.has_guest() ? std::optional<TimePoint>(now_) : std::nullopt;
}

// The C client waits at the gate because it has lost its connection or never got one.
void Connector::arrive() {
  arrive_by_.reset();
  const Duration waited = gate_.waited();
  parked_at_ = now_ - waited;
  if (reached_ || !target_) {
    diagnosis_.reset();
    diagnose_at_.reset();
  } else {
    came_back_ = true;
    diagnose_at_ = now_;
    diagnosed_ = target_;
    listener_.attempt_failed();
  }
  if (reached_ && !lost_at_) lost_at_ = now_;
  target_.reset();
  reached_ = false;
  if (waited >= patience()) {  // It may leave at any moment: see Gate.
    const auto leaves = keep_from_leaving();
    return gate_.hang_up();
  }
  zoo_set_servers(handle_, gate_.route(std::nullopt).c_str());
}

// A C client that cannot connect to its own machine finds no server either.
void Connector::miss_guest() {
  if (!arrive_by_ || now_ < *arrive_by_) return;
  arrive_by_.reset();
  note(kHere, "the C client does not reach the gate, on the loopback interface");
  ++failed_rounds_;
}

// Gives the C client a list without a server before it leaves the gate on its own timeout, after
// two thirds of the session timeout.
void Connector::seek() {
  if (now_ >= parked_at_ + patience()) {
    listener_.attempt_failed();
    return release(std::nullopt);
  }
  if (pause_until_) {
    if (now_ < *pause_until_) return;
    pause_until_.reset();
  }
  if (!in_round_) return start_round();
  if (rotation_.size() <= 1 || !options_.probe_servers) {
    const std::optional<Address> only = rotation_.next();
    return only ? release(only) : fail_round();
  }
  if (!race_) {
    race_.emplace(rotation_, depth(), gate_.zxid(), budget(),
                  [this](const Address& address, const std::string& reason) {
                    note(address.text(), reason);
                  });
  }
  if (const std::optional<Address> target = race_->go_on(now_)) {
    race_.reset();
    return release(target);
  }
  if (!race_->lost()) return;
  race_.reset();
  fail_round();
}

void Connector::start_round() {
  if (waits_for_addresses()) return;
  rotation_.start(addresses_, random_);
  for (const Address& each : addresses_) failures_.wait_for(each.text(), kNoAnswer);
  in_round_ = true;
  handed_over_ = false;
}

// A round waits a moment for the names to be resolved, and then uses the addresses that are known:
// a lookup may take longer than the servers wait for the session.
bool Connector::waits_for_addresses() const {
  return lookup_.is_running() && (addresses_.empty() || now_ < ask_until());
}

TimePoint Connector::ask_until() const { return asked_at_ + ProbeRace::kLongestHeadStart; }

void Connector::ask_for_addresses() {
  if (!ask_again_ || lookup_.is_running()) return;
  ask_again_ = false;
  std::vector<std::string> names;
  for (const Server& server : servers_) {
    if (!Address::from(server.host, server.port)) names.push_back(server.host);
  }
  gather_addresses();
  if (names.empty()) return;
  asked_at_ = now_;
  for (const std::string& name : names) failures_.wait_for(name, "the name is being looked up");
  lookup_.start(std::move(names));
}

// A name that does not resolve keeps its previous addresses.
void Connector::take_addresses() {
  if (!lookup_.is_running()) return;
  std::optional<Lookup::Answers> answers = lookup_.take();
  if (!answers) return;
  for (auto& [host, result] : *answers) {
    if (!result) {
      note(host, "the name does not resolve: " + result.error());
    } else if (result->empty()) {
      note(host, "the name has no address");
    } else {
      failures_.forget(host);
      known_[host] = std::move(*result);
    }
  }
  gather_addresses();
}

void Connector::gather_addresses() {
  addresses_.clear();
  for (const Server& server : servers_) {
    if (const std::optional<Address> numeric = Address::from(server.host, server.port)) {
      addresses_.push_back(*numeric);
      continue;
    }
    for (const std::string& ip : known_[server.host]) {
      if (const std::optional<Address> address = Address::from(ip, server.port)) {
        addresses_.push_back(*address);
      } else {
        note(server.host, "the resolver returned \"" + ip + "\", which is not a numeric address");
      }
    }
  }
}

void Connector::fail_round() {
  ++failed_rounds_;
  in_round_ = false;
  ask_again_ = true;
  ask_for_addresses();  // During the pause.
  pause_until_ = now_ + backoff_.next(random_);
  if (handed_over_) return;
  listener_.attempt_failed();
  release(std::nullopt);
}

void Connector::release(const std::optional<Address>& target) {
  if (target) {
    zoo_set_servers(handle_, gate_.route(target).c_str());
    target_ = target;
    diagnosed_ = target;
    handed_over_ = true;
    diagnosis_.reset();
    diagnose_at_ = now_ + ProbeRace::kLongestHeadStart;
    came_back_ = false;
  }
  reached_ = false;
  if (target) leave_a_mark();
  const auto leaves = keep_from_leaving();
  gate_.hang_up();
}

// Sends a request that the C client fails as soon as it is released, before it reports any result.
void Connector::leave_a_mark() {
  {
    const std::lock_guard lock(mutex_);
    released_at_.push_back(steady_now());
  }
  if (zoo_aexists(handle_, "/", 0, &callbacks::release_confirmed, context_) == ZOK) return;
  const std::lock_guard lock(mutex_);
  released_at_.pop_back();  // The session is over.
}

// The C client does not say why it fails. So we probe a server that keeps it waiting, and one from
// which it has come back.
void Connector::diagnose() {
  if (!diagnosis_) {
    if (!diagnose_at_ || now_ < *diagnose_at_ || !diagnosed_) return;
    diagnose_at_.reset();
    if (!options_.probe_servers) {
      const bool waits = !came_back_;
      return note(diagnosed_->text(), waits ? kNoAnswer : "the attempt has failed");
    }
    diagnosis_.emplace(*diagnosed_, depth(), gate_.zxid(), now_, budget());
  }
  diagnose_at_.reset();
  diagnosis_->go_on(now_);
  if (!diagnosis_->over()) return;
  if (diagnosis_->failure()) {
    note(diagnosis_->address().text(), *diagnosis_->failure());
  } else if (came_back_) {
    note(diagnosis_->address().text(), "closed the connection instead of answering the handshake");
  } else {
    note(diagnosis_->address().text(), depth() == Probe::Depth::kAnswer
                                           ? "answers `srvr`, but not yet the handshake"
                                           : "accepts connections, but answers no handshake yet");
  }
  diagnosis_.reset();
}

std::optional<TimePoint> Connector::give_up_time() const {
  if (!lost_at_ || given_up_) return std::nullopt;
  const Duration shortest = kShortestGivingUp;
  const Duration limit =
      opened_ ? options_.retry.give_up_session_after.value_or(std::max(3 * timeout_, shortest))
              : options_.retry.give_up_opening_after;
  if (limit >= TimePoint::max() - *lost_at_) return std::nullopt;
  if (limit <= Duration(0) && failed_rounds_ == 0) return std::nullopt;
  return *lost_at_ + limit;
}

void Connector::give_up_if_due() {
  const std::optional<TimePoint> due = give_up_time();
  if (!due || now_ < *due) return;
  note("session", "given up after " + in_ms(now_ - *lost_at_) + " without a connection");
  given_up_ = true;
  race_.reset();
  diagnosis_.reset();
  diagnose_at_.reset();
  arrive_by_.reset();
  listener_.given_up();
}

Duration Connector::budget() const {
  if (options_.connect_budget) return *options_.connect_budget;
  const auto servers = static_cast<Duration::rep>(std::max<std::size_t>(addresses_.size(), 1));
  return std::max<Duration>(timeout_ / servers, kShortestBudget);
}

Probe::Depth Connector::depth() const {
  return guest_.speaks_tls ? Probe::Depth::kConnection : Probe::Depth::kAnswer;
}

TimePoint Connector::next_step() const {
  TimePoint next = give_up_time().value_or(TimePoint::max());
  if (gate_.is_starved()) next = std::min(next, now_ + kStarvation);
  if (arrive_by_) next = std::min(next, *arrive_by_);
  if (diagnosis_) next = std::min(next, diagnosis_->deadline());
  if (diagnose_at_) next = std::min(next, *diagnose_at_);
  if (!gate_.has_guest() || given_up_) return next;
  next = std::min(next, parked_at_ + patience());
  if (pause_until_) return std::min(next, *pause_until_);
  if (!in_round_ && waits_for_addresses()) {
    return addresses_.empty() ? next : std::min(next, ask_until());
  }
  return std::min(next, race_ ? race_->next_step() : now_);
}

void Connector::wait() {
  std::vector<pollfd> descriptors;
  gate_.add_interest(descriptors);
  if (race_ && gate_.has_guest()) race_->add_interest(descriptors);
  if (diagnosis_) descriptors.push_back(diagnosis_->interest());
  wait_until(next_step(), std::move(descriptors));
}

void Connector::wait_until(TimePoint until, std::vector<pollfd> descriptors) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);
  descriptors.push_back({wake_.get(), POLLIN, 0});
  const TimePoint now = steady_now();
  if (!can_wake_) until = std::min(until, now + kStarvation);
  const Duration left =
      std::clamp<Duration>(until > now ? until - now : Duration(0), Duration(0), kLongest);
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(left);
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(timeout.count()));
  if (descriptors.back().revents == 0) return;
  std::uint64_t wakes = 0;
  static_cast<void>(!::read(wake_.get(), &wakes, sizeof(wakes)));
}

void Connector::wake() const {
  if (!can_wake_) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof(one)));
}

}  // namespace lockstep::zookeeper
