#include "lockstep/threads/world_host.h"

#include <arpa/inet.h>
#include <errno.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "connection.h"
#include "lockstep/fakezk/threads.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/lab/last_words.h"

namespace lockstep::threads {

// Connects a thread with the world: its turns and its timer are events.
class WorldHost::Hosted final : public fakezk::Thread {
 public:
  Hosted(fakezk::Process& process, intercept::Thread& thread)
      : Thread(process), thread_(thread), timer_(thread) {
    process.thread_begins();
  }
  Hosted(const Hosted&) = delete;
  Hosted& operator=(const Hosted&) = delete;
  ~Hosted() override {
    stop_timer();
    end();
  }

  void end() {
    if (!std::exchange(ended_, true)) process().thread_ends();
  }

  void start_timer(TimePoint due) { process().start_timer(timer_, due); }
  void stop_timer() {
    if (timer_.position != Timer::kIdle) process().stop_timer(timer_);
  }

 private:
  class Alarm final : public Timer {
   public:
    explicit Alarm(intercept::Thread& thread) : thread_(thread) {}
    void run() override { thread_.timed_out(); }

   private:
    intercept::Thread& thread_;
  };

  void go_on() override { thread_.go_on(); }

  intercept::Thread& thread_;
  Alarm timer_;
  bool ended_ = false;
};

namespace {

// All threads are one real thread, whose current execution is that of all.
void share_own_memory() {
  static const bool shared = [] {
    for (const std::span<const std::byte> memory : lab::last_words_memory()) {
      intercept::Execution::share(memory.data(), memory.size());
    }
    // The simulated servers release messages that a thread has allocated, and the reverse.
    const auto& frames = internal::frame_pool;
    intercept::Execution::share_with_runtime(&frames, sizeof(frames));
    return true;
  }();
  static_cast<void>(shared);
}

}  // namespace

WorldHost::WorldHost(fakezk::World& world, search::Verdict& verdict, ThreadOwners owners)
    : world_(world), verdict_(verdict), owners_(owners) {
  share_own_memory();
  execution_ = std::make_unique<intercept::Execution>(*this);
  current_ = this;
}

WorldHost::~WorldHost() {
  execution_.reset();
  hosted_.clear();
  current_ = nullptr;
}

void WorldHost::run(const std::function<void()>& body) {
  execution_->start([&body]() -> void* {
    body();
    return nullptr;
  });
}

void WorldHost::begin_again(fakezk::Process& process, const std::function<void()>& body) {
  for (const auto& thread : execution_->threads()) {
    if (&process_of(*thread) == &process) execution_->end_threads_of(*thread);
  }
  begins_again_ = &process;
  run(body);
  begins_again_ = nullptr;
}

fakezk::Process& WorldHost::process_of(const intercept::Thread& thread) {
  return static_cast<Hosted*>(thread.hosted)->process();
}

// The number is the one in the lanes.
std::string WorldHost::name_of(const intercept::Thread& thread) const {
  std::string name = world_.process_name(process_of(thread).index());
  const std::uint32_t number =
      fakezk::Threads::number_of(static_cast<Hosted*>(thread.hosted)->index());
  if (number > 0) name += "'s thread " + std::to_string(number + 1);
  return thread.name().empty() ? name : name + " (" + thread.name() + ')';
}

std::chrono::nanoseconds WorldHost::now() const {
  const intercept::Thread* const running = execution_ ? execution_->running() : nullptr;
  const TimePoint now = running ? process_of(*running).now() : world_.now();
  return now.time_since_epoch();
}

std::uint32_t WorldHost::draw(std::uint32_t options) { return world_.draw(options); }

bool WorldHost::becomes_process(bool by_library) const {
  return owners_ == ThreadOwners::kThemselves && !by_library;
}

std::string_view WorldHost::refuses_thread(bool by_library) const {
  static const std::string refusal = "an execution has at most " +
                                     std::to_string(fakezk::Threads::kMostProcesses) +
                                     " threads, with main and those that have ended";
  const bool is_full = world_.process_count() >= fakezk::Threads::kMostProcesses;
  return is_full && becomes_process(by_library) ? std::string_view(refusal) : std::string_view();
}

void WorldHost::started(intercept::Thread& thread) {
  const bool has_its_own = becomes_process(thread.by_library()) || !thread.creator();
  fakezk::Process& process = begins_again_ ? *begins_again_
                             : has_its_own ? world_.add_process()
                                           : process_of(*thread.creator());
  hosted_.push_back(std::make_unique<Hosted>(process, thread));
  thread.hosted = hosted_.back().get();
  hosted_.back()->make_ready();
}

void WorldHost::ended(intercept::Thread& thread) { static_cast<Hosted*>(thread.hosted)->end(); }

void WorldHost::make_ready(intercept::Thread& thread, bool is_preempted) {
  auto& hosted = *static_cast<Hosted*>(thread.hosted);
  if (is_preempted) {
    hosted.preempt();
  } else {
    hosted.make_ready();
  }
}

void WorldHost::start_timer(intercept::Thread& thread, std::chrono::nanoseconds due) {
  static_cast<Hosted*>(thread.hosted)->start_timer(TimePoint(due));
}

void WorldHost::stop_timer(intercept::Thread& thread) {
  static_cast<Hosted*>(thread.hosted)->stop_timer();
}

namespace {

// In the loopback network, only 127.0.0.1 has servers: lockstep::zookeeper relies on others having
// none.
bool has_no_server(const sockaddr_in& at) {
  const std::uint32_t address = ntohl(at.sin_addr.s_addr);
  return address >> 24 == IN_LOOPBACKNET && address != INADDR_LOOPBACK;
}

}  // namespace

bool WorldHost::breaks_connections() const {
  using fakezk::FaultKind;
  constexpr fakezk::FaultKinds kBreak =
      bit(FaultKind::kCut) | bit(FaultKind::kLateApply) | bit(FaultKind::kExpiry) |
      bit(FaultKind::kReplicaPartition) | bit(FaultKind::kLeaderChange) |
      bit(FaultKind::kForgottenWrites);
  return (world_.kinds_injected() & kBreak) != 0;
}

// The result of an attempt to connect.
enum class WorldHost::Reached : std::uint8_t {
  kAtOnce,
  kRefused,
  kLate,   // The first packet is lost, and the system sends another one.
  kNever,  // All packets are lost.
};

// A fault that breaks connections may also refuse new ones, at most one for each fault that has
// struck.
WorldHost::Reached WorldHost::draw_reached() {
  if (healed_ || !breaks_connections()) return Reached::kAtOnce;
  if (disturbed_connects_ >= world_.faults_injected()) return Reached::kAtOnce;
  const auto reached = static_cast<Reached>(world_.draw(4));
  if (reached != Reached::kAtOnce) ++disturbed_connects_;
  return reached;
}

// Each new address is the next server.
WorldHost::Connecting WorldHost::connect(intercept::Thread& thread, const sockaddr_in& to) {
  if (has_no_server(to)) return {.stream = nullptr, .error = ECONNREFUSED};
  // Like Linux: tcp(7), tcp_syn_retries.
  constexpr std::chrono::seconds kSecondPacket(1);
  constexpr std::chrono::seconds kGivesUp(127);
  const Reached reached = draw_reached();
  if (reached == Reached::kRefused) {
    noted(thread, "the server refuses the connection");
    return {.stream = nullptr, .error = ECONNREFUSED};
  }
  if (reached == Reached::kNever) {
    noted(thread, "the server does not answer");
    return {.stream = nullptr, .error = ETIMEDOUT, .takes = kGivesUp};
  }
  if (reached == Reached::kLate) noted(thread, "the server answers late");
  const std::pair<std::uint32_t, std::uint16_t> address(to.sin_addr.s_addr, to.sin_port);
  auto known = std::ranges::find(servers_, address);
  if (known == servers_.end()) known = servers_.insert(servers_.end(), address);
  const auto server = static_cast<std::uint32_t>(known - servers_.begin());
  return {.stream =
              std::make_unique<Connection>(*this, thread, server % world_.server().replica_count()),
          .takes = reached == Reached::kLate ? kSecondPacket : std::chrono::seconds(0)};
}

in_addr WorldHost::address_of(const std::string& host) {
  auto known = std::ranges::find(hosts_, host);
  if (known == hosts_.end()) known = hosts_.insert(hosts_.end(), host);
  constexpr std::uint32_t kFirst = 10U << 24 | 1;  // 10.0.0.1
  return {.s_addr = htonl(kFirst + static_cast<std::uint32_t>(known - hosts_.begin()))};
}

void WorldHost::session_established(const intercept::Thread& thread, SessionId session) {
  if (OwnSession* const known = own_session(session)) {
    moved_.push_back(session);
    known->served_by = &thread;
    return;
  }
  own_sessions_.push_back({.process = process_of(thread).index(),
                           .id = session,
                           .served_by = &thread,
                           .is_closing = false,
                           .moves_when_told = {}});
}

WorldHost::OwnSession* WorldHost::own_session(SessionId session) {
  const auto found = std::ranges::find(own_sessions_, session, &OwnSession::id);
  return found == own_sessions_.end() ? nullptr : &*found;
}

void WorldHost::session_closing(SessionId session) {
  if (OwnSession* const known = own_session(session)) known->is_closing = true;
}

void WorldHost::session_end_received(SessionId session) {
  OwnSession* const known = own_session(session);
  if (!known || known->moves_when_told) return;
  known->moves_when_told.emplace();
  for (const auto& thread : execution_->threads()) {
    known->moves_when_told->push_back(thread->moves());
  }
}

std::vector<SessionId> WorldHost::sessions_of(const fakezk::Process& process) const {
  std::vector<SessionId> sessions;
  for (const OwnSession& session : own_sessions_) {
    if (session.process == process.index()) sessions.push_back(session.id);
  }
  return sessions;
}

bool WorldHost::has_kept_its_connection(SessionId session) const {
  return std::ranges::find(moved_, session) == moved_.end();
}

bool WorldHost::cannot_know_of_a_loss(const intercept::Thread& thread) const {
  const bool is_one_process = owners_ == ThreadOwners::kThemselves;
  return std::ranges::any_of(own_sessions_, [&](const OwnSession& session) {
    const bool may_be_its = is_one_process || session.process == process_of(thread).index();
    return may_be_its && excuses(session, thread);
  });
}

bool WorldHost::excuses(const OwnSession& session, const intercept::Thread& thread) const {
  // Calls that were in progress when the client was told return as if it had not been told, and the
  // code under test may wait for its own mutexes before it makes the next call.
  constexpr std::uint64_t kWaitsUntilItAsks = 8;
  if (session.is_closing || world_.server().session_alive(session.id)) return false;
  if (!session.moves_when_told) return !session.served_by->ended();
  const std::vector<std::uint64_t>& moves = *session.moves_when_told;
  const std::uint64_t before = thread.number() < moves.size() ? moves[thread.number()] : 0;
  return thread.moves() - before < kWaitsUntilItAsks;
}

void WorldHost::misused(intercept::Thread& thread, const std::string& text) {
  verdict_.report(search::Oracle::kMisuse, name_of(thread) + " calls " + text, world_.steps());
}

void WorldHost::noted(intercept::Thread& thread, const std::string& text) {
  world_.note(process_of(thread).index(), text);
}

}  // namespace lockstep::threads
