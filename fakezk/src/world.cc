#include "lockstep/fakezk/world.h"

#include <algorithm>

namespace lockstep::fakezk {

namespace {

// Beyond this many interned paths a reset starts a new table: a program that invents names for
// ever must not fill the memory.
constexpr std::size_t kPathsKept = 1 << 16;

std::uint64_t identity(const Event& event) {
  return static_cast<std::uint64_t>(event.kind) << 40 |
         static_cast<std::uint64_t>(event.fault) << 32 | event.index;
}

std::uint64_t fingerprint(const Server::Applied& applied, const PathTable& paths) {
  const std::uint64_t error =
      applied.has_error ? static_cast<std::uint64_t>(static_cast<std::int64_t>(applied.error)) : 0;
  return paths.text(applied.path).hash() ^
         mix(static_cast<std::uint64_t>(applied.zxid) ^
             static_cast<std::uint64_t>(applied.op) << 56 ^ error << 40);
}

std::uint64_t fingerprint(const ServerMessage& message) {
  const std::uint64_t error =
      message.reply.is_error()
          ? static_cast<std::uint64_t>(static_cast<std::int64_t>(message.reply.error))
          : 0;
  return message.reply.path.text().hash() ^
         mix(static_cast<std::uint64_t>(message.zxid) ^
             static_cast<std::uint64_t>(message.kind) << 56 ^
             static_cast<std::uint64_t>(message.event) << 48 ^ error << 16);
}

bool has_write_under_way(const Link& link) {
  for (std::size_t i = 0; i < link.requests.size(); ++i) {
    const ClientMessage& message = link.requests[i];
    if (message.kind == ClientMessage::Kind::kRequest && is_write(message.request.op)) return true;
  }
  return false;
}

}  // namespace

class World::OpenMenu final : public Menu {
 public:
  explicit OpenMenu(World& world) : world_(world) {}
  [[nodiscard]] std::span<const Event> events() const override { return world_.events_; }
  [[nodiscard]] std::span<const Event> faults() const override {
    if (!listed_) world_.list_faults();
    listed_ = true;
    return world_.faults_;
  }

 private:
  World& world_;
  mutable bool listed_ = false;
};

World::World(ServerOptions options)
    : paths_(std::make_shared<PathTable>()), server_(network_, timers_, *this, paths_, options) {}

World::~World() { end_tasks(); }

void World::end_tasks() {
  for (const auto& process : processes_) process->tasks().clear();
}

bool World::task_failed() const {
  if (escaped_) return true;
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    if (processes_[process]->failed()) return true;
  }
  return false;
}

std::exception_ptr World::take_exception() {
  std::exception_ptr first = std::exchange(escaped_, nullptr);
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    TaskSet& tasks = processes_[process]->tasks();
    if (!first) first = tasks.first_exception();
    tasks.forget_exception();
  }
  return first;
}

void World::reset() {
  end_tasks();
  if (recorder_) recorder_->begin();
  network_.reset();
  if (paths_->size() > kPathsKept) paths_ = std::make_shared<PathTable>();
  server_.reset(paths_);
  timers_.clear();
  for (std::uint32_t process = 0; process < process_count_; ++process) processes_[process]->reset();
  process_count_ = 0;
  stalled_count_ = 0;
  healed_ = false;
  chooser_ = nullptr;
  restarter_ = nullptr;
  blocker_ = nullptr;
  process_of_link_.clear();
  now_ = TimePoint{};
  used_.fill(0);
  faults_used_ = 0;
  current_ = 0;
  escaped_ = nullptr;
  begin_trace();
}

void World::record_footprints(FootprintRecorder* recorder) {
  recorder_ = recorder;
  network_.record_into(recorder);
  server_.record_into(recorder);
}

void World::begin_trace() {
  steps_ = 0;
  positions_ = 0;
  deviations_.clear();
  hash_ = 0;
}

Process& World::add_process() {
  const std::uint32_t index = process_count_++;
  if (index == processes_.size()) processes_.push_back(std::make_unique<Process>(*this, index));
  // The same stream in every execution: a schedule is the only thing that varies.
  processes_[index]->random().reseed(mix(index + 1));
  processes_[index]->tasks().forget_exception();
  return *processes_[index];
}

LinkIndex World::add_link(Process& process, Endpoint& endpoint) {
  if (recorder_) recorder_->writes(ObjectKind::kLinkTable);
  process_of_link_.push_back(process.index());
  return network_.add(endpoint);
}

void World::list_events() {
  events_.clear();
  const bool busy = server_.has_work();
  if (busy) list_reaping();
  const LinkIndex links = network_.size();
  if (healed_) {
    if (busy) list_late_events();
    for (LinkIndex i = 1; i <= links; ++i) list_link_events((current_ + i) % links);
    return;
  }
  for (LinkIndex i = 0; i < links; ++i) {
    // The one whose event came last is the first.
    const LinkIndex link = i == 0 ? current_ : i - (i <= current_ ? 1 : 0);
    if (!network_[link].idle()) list_link_events(link);
  }
  if (busy) list_late_events();
  if (stalled_count_ > 0) list_wakes();
}

void World::list_reaping() {
  for (std::uint32_t i = 0; i < server_.reaping().size(); ++i) {
    events_.push_back({Event::Kind::kReap, FaultKind::kCut, i});
  }
}

// Calmly these come when nothing else can happen: they are late by nature, and one deviation is
// enough to make one of them early, where to keep it waiting would take one at every step.
void World::list_late_events() {
  for (const SessionIndex session : server_.closing()) {
    events_.push_back({Event::Kind::kCloseSession, FaultKind::kCut, session});
  }
  for (std::uint32_t i = 0; i < server_.stray_count(); ++i) {
    events_.push_back({Event::Kind::kStray, FaultKind::kCut, i});
  }
  for (ReplicaIndex replica = 0; replica < server_.replica_count(); ++replica) {
    if (server_.can_replicate(replica)) {
      events_.push_back({Event::Kind::kReplicate, FaultKind::kCut, replica});
    }
  }
}

void World::list_wakes() {
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    if (!processes_[process]->stalled()) continue;
    events_.push_back({Event::Kind::kWake, FaultKind::kCut, process});
  }
}

void World::list_link_events(LinkIndex index) {
  const Link& link = network_[index];
  if (link.can_deliver() && !stalled(index)) {
    events_.push_back({Event::Kind::kDeliver, FaultKind::kCut, index});
  }
  if (link.can_apply() && server_.can_apply(index)) {
    events_.push_back({Event::Kind::kApply, FaultKind::kCut, index});
  }
}

FaultKinds World::kinds_injected() const {
  if (faults_used_ == 0) return 0;
  FaultKinds kinds = 0;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    if (used_[i] > 0) kinds |= bit(static_cast<FaultKind>(i));
  }
  return kinds;
}

bool World::may(FaultKind kind) const {
  return used_[static_cast<std::size_t>(kind)] < plan_.most(kind);
}

void World::list_faults() {
  faults_.clear();
  if (faults_used_ >= plan_.total()) return;
  const auto add = [&](FaultKind kind, std::uint32_t index) {
    faults_.push_back({Event::Kind::kFault, kind, index});
  };
  if (may(FaultKind::kCut)) {
    for (LinkIndex link = 0; link < network_.size(); ++link) {
      if (network_[link].open) add(FaultKind::kCut, link);
    }
  }
  list_session_faults();
  if (may(FaultKind::kTimer) && next_timer().queue) add(FaultKind::kTimer, 0);
  if (may(FaultKind::kLateApply)) {
    for (LinkIndex link = 0; link < network_.size(); ++link) {
      if (server_.session_of(link) != kNoSession && has_write_under_way(network_[link])) {
        add(FaultKind::kLateApply, link);
      }
    }
  }
  if (server_.replica_count() > 1) list_replica_faults();
  list_process_faults();
  list_znode_faults();
}

void World::list_session_faults() {
  const bool foreign = may(FaultKind::kForeignDelete);
  for (const FaultKind kind : {FaultKind::kExpiry, FaultKind::kKillSession}) {
    if (!may(kind)) continue;
    for (SessionIndex session = 0; session < server_.session_count(); ++session) {
      if (server_.session_alive(session)) faults_.push_back({Event::Kind::kFault, kind, session});
    }
  }
  for (SessionIndex session = 0; foreign && session < server_.session_count(); ++session) {
    if (!server_.session_alive(session) || server_.ephemerals(session).empty()) continue;
    faults_.push_back({Event::Kind::kFault, FaultKind::kForeignDelete, session});
  }
}

// A process that has nothing to do could stall or crash unnoticed.
void World::list_process_faults() {
  for (const FaultKind kind : {FaultKind::kStall, FaultKind::kCrash, FaultKind::kClockDrift}) {
    if (!may(kind) || (kind == FaultKind::kCrash && !restarter_)) continue;
    for (std::uint32_t index = 0; index < process_count_; ++index) {
      Process& process = *processes_[index];
      if (process.tasks().empty()) continue;
      if (kind == FaultKind::kStall && process.stalled()) continue;
      faults_.push_back({Event::Kind::kFault, kind, index});
    }
  }
}

void World::list_znode_faults() {
  const auto add = [this](FaultKind kind, std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) faults_.push_back({Event::Kind::kFault, kind, i});
  };
  if (may(FaultKind::kParentRemoval)) add(FaultKind::kParentRemoval, server_.reapable().size());
  if (may(FaultKind::kSequenceOverflow))
    add(FaultKind::kSequenceOverflow, server_.windable().size());
}

void World::list_replica_faults() {
  for (ReplicaIndex index = 0; index < server_.replica_count(); ++index) {
    const Replica& replica = server_.replica(index);
    if (may(FaultKind::kLag) && !replica.lagging) {
      faults_.push_back({Event::Kind::kFault, FaultKind::kLag, index});
    }
    if (may(FaultKind::kReplicaPartition) && !replica.unreachable) {
      faults_.push_back({Event::Kind::kFault, FaultKind::kReplicaPartition, index});
    }
  }
  if (may(FaultKind::kLeaderChange)) {
    faults_.push_back({Event::Kind::kFault, FaultKind::kLeaderChange, 0});
  }
}

bool World::step(Chooser& chooser) { return step(chooser, true); }
bool World::step_without_time(Chooser& chooser) { return step(chooser, false); }

bool World::step(Chooser& chooser, bool with_timers) {
  list_events();
  // The clock moves when nothing else can happen; that a stalled process wakes can wait.
  if (events_.size() == stalled_count_) {
    if (!with_timers) return false;
    if (may_fire(next_timer())) {
      events_.insert(events_.begin(), {Event::Kind::kTimer, FaultKind::kCut, 0});
    }
    if (events_.empty()) return false;
  }
  chooser_ = &chooser;
  const Event event = choose();
  ++steps_;
  execute(event);
  chooser_ = nullptr;
  drain();
  if (tracer_) tracer_->settled();
  return true;
}

Event World::choose() {
  const OpenMenu menu(*this);
  Choice choice = chooser_->next(menu);
  std::span<const Event> from = events_;
  if (choice.fault && !menu.faults().empty()) {
    from = menu.faults();
  } else if (choice.fault) {
    choice = Choice{};
  }
  choice.index %= static_cast<std::uint32_t>(from.size());
  if (choice.fault || choice.index != 0) deviations_.push_back({positions_, choice});
  ++positions_;
  const Event event = from[choice.index];
  hash_in(identity(event));
  return event;
}

std::uint32_t World::number(std::uint32_t options) {
  if (options < 2 || !chooser_) return 0;
  return took(chooser_->number(options) % options);
}

std::uint32_t World::order(std::uint32_t options) {
  if (options < 2 || !chooser_) return 0;
  return took(chooser_->order(options) % options);
}

// The chooser has chosen it.
std::uint32_t World::took(std::uint32_t number) {
  if (number != 0) deviations_.push_back({positions_, Choice{false, number}});
  ++positions_;
  hash_in(number);
  return number;
}

void World::execute(const Event& event) {
  Step step{.number = steps_, .event = event, .now = now_};
  switch (event.kind) {
    case Event::Kind::kDeliver: current_ = event.index; return deliver(event);
    case Event::Kind::kApply:
      current_ = event.index;
      server_.apply(event.index, now_);
      step.applied = &server_.last_applied();
      hash_in(fingerprint(*step.applied, *paths_));
      // The server has heard of the session by this, and will hear nothing more.
      if (stalled(event.index)) {
        server_.speak_up(event.index);
        server_.fall_silent(event.index, now_);
      }
      return trace(step);
    case Event::Kind::kCloseSession: trace(step); return server_.finish_close(event.index, now_);
    case Event::Kind::kReap:
      step.path = server_.reaping()[event.index];
      hash_in(paths_->text(step.path).hash());
      trace(step);
      return server_.finish_reaping(event.index, now_);
    case Event::Kind::kStray:
      server_.apply_stray(event.index, now_);
      step.applied = &server_.last_applied();
      hash_in(fingerprint(*step.applied, *paths_));
      return trace(step);
    case Event::Kind::kReplicate: trace(step); return server_.replicate(event.index, now_);
    case Event::Kind::kTimer: return fire_timer(event, true);
    case Event::Kind::kWake: trace(step); return wake(*processes_[event.index]);
    case Event::Kind::kFault: return inject(event);
  }
}

void World::deliver(const Event& event) {
  Link& link = network_[event.index];
  if (recorder_) {
    // Whether anybody is there to receive it is the process's memory too.
    recorder_->writes(ObjectKind::kProcess, process_of_link_[event.index]);
    // User code runs, which may use what other processes use.
    recorder_->writes(ObjectKind::kUserMemory);
  }
  const std::unique_ptr<ServerMessage> message = network_.take_item(event.index);
  hash_in(fingerprint(*message));
  trace(Step{.number = steps_, .event = event, .now = now_, .received = message.get()});
  if (link.endpoint) link.endpoint->receive(*message);
}

// A timer that fires because nothing else can happen can be swapped with nothing.
void World::record_fired(const internal::TimerQueue& queue, bool at_rest) {
  if (at_rest || server_.reaps()) recorder_->touches_everything();
  recorder_->writes(ObjectKind::kClock);
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    if (&processes_[process]->timers_ != &queue) continue;
    recorder_->writes(ObjectKind::kProcess, process);
    recorder_->writes(ObjectKind::kUserMemory);
  }
}

void World::fire_timer(const Event& event, bool at_rest) {
  const NextTimer next = next_timer();
  if (recorder_) record_fired(*next.queue, at_rest);
  Timer& timer = next.queue->pop();
  move_clock(next.due);
  hash_in(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  trace(Step{.number = steps_, .event = event, .now = now_});
  run(timer);
}

void World::inject(const Event& event) {
  if (recorder_) recorder_->writes(ObjectKind::kFaults);
  ++used_[static_cast<std::size_t>(event.fault)];
  ++faults_used_;
  // Which parents there are, and which of them have no children, is not told apart.
  const bool of_parents =
      event.fault == FaultKind::kParentRemoval || event.fault == FaultKind::kSequenceOverflow;
  if (recorder_ && of_parents) recorder_->touches_everything();
  Step step{.number = steps_, .event = event, .now = now_};
  switch (event.fault) {
    case FaultKind::kCut:
    case FaultKind::kLateApply: return inject_cut(event, step);
    case FaultKind::kExpiry:
      expire(event.index);
      step.now = now_;
      return trace(step);
    case FaultKind::kKillSession: trace(step); return kill_session(event.index);
    case FaultKind::kTimer: return fire_timer(event, false);
    case FaultKind::kLag: trace(step); return server_.set_lagging(event.index, true, now_);
    case FaultKind::kReplicaPartition: trace(step); return server_.isolate(event.index, now_);
    case FaultKind::kLeaderChange: trace(step); return change_leader();
    case FaultKind::kStall: trace(step); return stall(*processes_[event.index]);
    case FaultKind::kCrash: trace(step); return crash(*processes_[event.index]);
    case FaultKind::kClockDrift: return inject_drift(event, step);
    case FaultKind::kForeignDelete: return inject_foreign_delete(event, step);
    case FaultKind::kParentRemoval:
      step.path = server_.reapable()[event.index];
      trace(step);
      return server_.reap(step.path, now_);
    case FaultKind::kSequenceOverflow: return inject_sequence_overflow(event, step);
  }
}

void World::inject_cut(const Event& event, Step& step) {
  const Link& link = network_[event.index];
  const auto requests = static_cast<std::uint32_t>(link.requests.size());
  const auto items = static_cast<std::uint32_t>(link.inbox.size());
  const bool late = event.fault == FaultKind::kLateApply;
  // Calmly a cut loses all requests, and of those that are applied late the first is one.
  std::uint32_t accepted = 0;
  if (late) {
    accepted = 1 + number(requests);
  } else if (requests > 0) {
    // A cut that finds some requests accepted is a cut that comes after they were applied.
    accepted = took(chooser_->shortcut(requests + 1) % (requests + 1));
  }
  const std::uint32_t received = number(items + 1);
  step.lost_requests = requests - accepted;
  step.lost_inbox = items - received;
  trace(step);
  return late ? cut_late(event.index, accepted, received) : cut(event.index, accepted, received);
}

void World::inject_drift(const Event& event, Step& step) {
  const bool fast = number(2) != 0;
  step.amount = fast ? 1 : -1;
  trace(step);
  drift(*processes_[event.index], fast);
}

void World::inject_foreign_delete(const Event& event, Step& step) {
  const std::span<const PathId> ephemerals = server_.ephemerals(event.index);
  step.path = ephemerals[number(static_cast<std::uint32_t>(ephemerals.size()))];
  hash_in(paths_->text(step.path).hash());
  trace(step);
  server_.remove_as_operator(step.path, now_);
}

// The end itself, or a few creates before it.
void World::inject_sequence_overflow(const Event& event, Step& step) {
  step.path = server_.windable()[event.index];
  const std::uint32_t nearer = number(Server::kMostCreatesLeft + 1);
  step.amount = Server::kLastNumber - Server::kMostCreatesLeft + static_cast<std::int32_t>(nearer);
  trace(step);
  server_.wind_sequence(step.path, step.amount);
}

void World::cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  // What the server had already taken from the wire is applied although nobody waits for it.
  const auto under_way = static_cast<std::uint32_t>(network_[index].requests.size());
  for (std::uint32_t i = 0; i < std::min(accepted, under_way) && server_.can_apply(index); ++i) {
    server_.apply(index, now_);
    if (!network_[index].open) return;
  }
  if (!network_[index].open) return;
  server_.connection_ended(index, now_);
  network_.disconnect(index, received, Error::kConnectionLoss);
}

void World::cut_late(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  server_.connection_ended(index, now_, accepted);
  network_.disconnect(index, received, Error::kConnectionLoss);
}

void World::change_leader() {
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (network_[link].open) cut(link, 0, static_cast<std::uint32_t>(network_[link].inbox.size()));
  }
  server_.change_leader(now_);
}

void World::heal() {
  healed_ = true;
  plan_ = FaultPlan();
  for (std::uint32_t index = 0; index < process_count_; ++index) wake(*processes_[index]);
  server_.mend(now_);
}

void World::expire(SessionIndex session) {
  if (recorder_) recorder_->writes(ObjectKind::kClock);
  advance_clock(server_.expiry_time(session, now_));
  hash_in(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  // A client that wakes up after so long a silence gives up by itself (C client, 2/3 of the
  // timeout).
  server_.decide_expiry(session, Error::kOperationTimeout);
}

void World::kill_session(SessionIndex session) { server_.decide_expiry(session); }

void World::advance_clock(TimePoint until) {
  const auto due = [&] {
    const NextTimer next = next_timer();
    return next.queue && next.due <= until;
  };
  do {
    while (due()) {
      fire_timer({Event::Kind::kTimer, FaultKind::kCut, 0}, false);
      drain();
    }
    move_clock(until);
  } while (due());  // Of a process that this has woken.
}

void World::drain() {
  while (Runnable* const work = ready_.pop()) run(*work);
}

void World::run(Runnable& work) {
  try {
    work.run();
  } catch (...) {
    if (!escaped_) escaped_ = std::current_exception();
  }
}

void World::trace(const Step& step) {
  if (tracer_) tracer_->step(step);
}

}  // namespace lockstep::fakezk
