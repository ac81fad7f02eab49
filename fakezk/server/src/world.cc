#include "lockstep/fakezk/world.h"

#include <algorithm>
#include <utility>

#include "faults/fault.h"
#include "payload_hash.h"

namespace lockstep::fakezk {

namespace {

// Any number is a valid choice, and nearly every one is small enough: a division takes its time.
std::uint32_t within(std::uint32_t number, std::uint32_t options) {
  return number < options ? number : number % options;
}

std::uint64_t identity(const Event& event) {
  return static_cast<std::uint64_t>(event.kind) << 40 |
         static_cast<std::uint64_t>(event.fault) << 32 | event.index;
}

// The outcome of a request; its reply will say the rest.
void add(PayloadHash& hash, const Server::Applied& applied) {
  hash.add(applied.zxid);
  if (applied.has_error) hash.add(static_cast<std::int64_t>(applied.error));
}

}  // namespace

// Listed faults stay listed: looking at the faults is no part of the step.
class World::FaultsOfStep final : public PossibleFaults {
 public:
  explicit FaultsOfStep(World& world) : world_(world) {}
  [[nodiscard]] std::span<const Event> list() const override { return kinds_listed(kFaultKinds); }
  [[nodiscard]] std::span<const Event> list_up_to(FaultKind kind) const override {
    const auto listed = listed_faults();
    const auto kinds_before = std::ranges::find(listed, kind, &ListedFault::kind) - listed.begin();
    return kinds_listed(static_cast<std::size_t>(kinds_before) + 1);
  }
  [[nodiscard]] FaultKinds among(FaultKinds kinds) const override {
    return world_.possible_faults(kinds);
  }
  // How the list begins, so far that there is one of that index; or all of it.
  [[nodiscard]] std::span<const Event> list_with(std::uint32_t index) const {
    std::span<const Event> found = kinds_listed(listed_);
    while (found.size() <= index && listed_ < kFaultKinds) found = kinds_listed(listed_ + 1);
    return found;
  }

 private:
  // At least so many kinds.
  std::span<const Event> kinds_listed(std::size_t kinds) const {
    if (listed_ == 0) world_.faults_.clear();
    const FaultKinds left = world_.faults_left();
    for (; listed_ < kinds; ++listed_) {
      listed_faults()[listed_].fault->list(world_, left, world_.faults_);
    }
    return world_.faults_.view();
  }

  World& world_;
  mutable std::size_t listed_ = 0;
};

World::World(ServerOptions options)
    : timers_(options.replicas),
      paths_(std::make_shared<PathTable>()),
      server_(network_, timers_, numbers_, paths_, options) {
  work_.set_most(kMostWork);
}

World::~World() { end_tasks(); }

void World::end_tasks() {
  for (const auto& process : processes_) process->tasks().clear();
}

void World::end() {
  // Nothing of it runs any more; it may be left over from work without an end.
  work_.clear();
  end_tasks();
  network_.detach_all();
}

std::exception_ptr World::take_exception() { return std::exchange(work_.escaped(), nullptr); }

void World::record_footprints(FootprintRecorder* recorder) {
  recorder_ = recorder;
  network_.record_into(recorder);
  server_.record_into(recorder);
}

void World::begin_trace() {
  steps_ = 0;
  acting_ = kNobody;
  record_.begin();
  server_.keep_log();
}

Process& World::add_process() {
  const std::uint32_t index = process_count_++;
  if (index == processes_.size()) processes_.push_back(std::make_unique<Process>(*this, index));
  // The same stream in every execution: a schedule is the only thing that varies.
  processes_[index]->random().reseed(mix(index + 1));
  return *processes_[index];
}

LinkIndex World::add_link(Process& process, Endpoint& endpoint) {
  if (recorder_) recorder_->writes(ObjectKind::kLinkTable);
  process_of_link_.push_back(process.index());
  return network_.add(endpoint);
}

// One function holds the work of every step: separate calls would take a tenth of its time.
[[gnu::always_inline]] inline void World::list_events() {
  events_.clear();
  if (healed_ || stalled_count_ > 0 || server_.has_work()) [[unlikely]]
    return list_with_late_events();
  if (!threads_.ready().empty()) list_threads();
  list_ready_links();
}

// The general case: some events are not of links, or some links do not go on.
void World::list_with_late_events() {
  list_reaping();
  if (healed_) list_late_events();
  if (!healed_) list_threads();
  list_links();
  if (healed_) return list_threads();
  list_late_events();
  list_wakes();
}

// Calmly the link goes on whose event came last.
[[gnu::always_inline]] inline void World::list_ready_links() {
  EventList::Some some(events_, std::size_t{2} * network_.size());
  network_.ready().each(current_, [&](LinkIndex link, ReadyLinks::Way way) {
    const bool applies = way == ReadyLinks::Way::kApply;
    some.add({applies ? Event::Kind::kApply : Event::Kind::kDeliver, FaultKind::kCut, link});
  });
}

void World::list_links() {
  if (healed_) {
    list_links_fairly();
  } else {
    list_ready_links();
  }
  if (stalled_count_ > 0 || server_.replica_count() > 1) leave_out_what_waits();
}

// When everything is mended, it comes last.
void World::list_links_fairly() {
  const ReadyLinks& ready = network_.ready();
  const LinkIndex links = network_.size();
  for (LinkIndex turn = 1; turn <= links; ++turn) {
    const LinkIndex link = (current_ + turn) % links;
    const ReadyLinks::Place place(link);
    if (ready.is(place, ReadyLinks::Way::kDeliver))
      events_.add({Event::Kind::kDeliver, FaultKind::kCut, link});
    if (ready.is(place, ReadyLinks::Way::kApply))
      events_.add({Event::Kind::kApply, FaultKind::kCut, link});
  }
}

// For a process that is stalled, or for what a replica has not applied yet.
void World::leave_out_what_waits() {
  events_.erase_if([this](const Event& event) { return waits(event); });
}

bool World::waits(const Event& event) const {
  if (event.kind == Event::Kind::kDeliver) return stalled(event.index);
  return event.kind == Event::Kind::kApply && !server_.can_apply(event.index);
}

void World::list_reaping() {
  for (std::uint32_t i = 0; i < server_.reaping().size(); ++i) {
    events_.add({Event::Kind::kReap, FaultKind::kCut, i});
  }
}

// Calmly these come when nothing else can happen: they are late by nature, and one deviation is
// enough to make one of them early, where to keep it waiting would take one at every step.
void World::list_late_events() {
  for (const SessionIndex session : server_.closing()) {
    events_.add({Event::Kind::kCloseSession, FaultKind::kCut, session});
  }
  for (std::uint32_t i = 0; i < server_.strays().size(); ++i) {
    if (!server_.strays().is_first(i)) continue;
    events_.add({Event::Kind::kStray, FaultKind::kCut, i});
  }
  for (ReplicaIndex replica = 0; replica < server_.replica_count(); ++replica) {
    if (server_.can_replicate(replica)) {
      events_.add({Event::Kind::kReplicate, FaultKind::kCut, replica});
    }
  }
}

void World::list_wakes() {
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    if (!processes_[process]->stalled()) continue;
    events_.add({Event::Kind::kWake, FaultKind::kCut, process});
  }
}

// By default a thread goes on as soon as its call is over. When everything is mended, it comes
// last: one that goes on and on must not keep anything else from happening.
void World::list_threads() {
  for (const Thread* const thread : threads_.ready()) {
    if (thread->process().stalled()) continue;
    events_.add({Event::Kind::kGoOn, FaultKind::kCut, thread->index()});
  }
}

bool World::run(Chooser& chooser, const bool& stop, std::uint32_t end, bool with_timers) {
  const std::size_t committed = server_.history().size();
  do {
    if (!step(chooser, with_timers)) return false;
  } while (steps_ < end && !stop && !task_failed() && server_.history().size() == committed);
  return true;
}

[[gnu::always_inline]] inline bool World::step(Chooser& chooser, bool with_timers) {
  list_events();
  if (events_.size() == stalled_count_) [[unlikely]]
    return with_timers && step_at_rest(chooser);
  const FaultsOfStep faults(*this);
  const Choice choice = chooser.next(Menu(events_.view(), faults));
  begin_step(chooser);
  happens(faults, choice);
  return true;
}

[[gnu::always_inline]] inline void World::begin_step(Chooser& chooser) {
  chooser_ = &chooser;
  acting_ = kNobody;
}

[[gnu::always_inline]] inline void World::happens(const FaultsOfStep& faults, Choice choice) {
  const Event& event = take(faults, choice);
  ++steps_;
  execute(event);
  if (!work_.empty()) work_.run_posted();
  chooser_ = nullptr;
  if (tracer_) tracer_->settled();
}

namespace {

// It may be chance that all are done: who finishes last is an order of steps like any other, and a
// fault that strikes after one of them could strike after both.
std::optional<Choice> last_fault(Chooser& chooser, const Menu& menu) {
  const std::optional<std::uint32_t> fault = chooser.last_fault(menu);
  if (!fault || menu.faults().empty()) return std::nullopt;
  return Choice{true, *fault};
}

}  // namespace

// The clock moves when nothing else can happen; that a stalled process wakes can wait. When even
// the clock stands still, a last fault may strike.
bool World::step_at_rest(Chooser& chooser) {
  events_.clear();
  if (waits_for_the_clock() && may_fire(find_next_timers()))
    events_.add({Event::Kind::kTimer, FaultKind::kCut, 0});
  if (stalled_count_ > 0) list_wakes();
  const FaultsOfStep faults(*this);
  const Menu menu(events_.view(), faults);
  const std::optional<Choice> choice =
      events_.empty() ? last_fault(chooser, menu) : chooser.next(menu);
  if (!choice) return false;
  begin_step(chooser);
  happens(faults, *choice);
  return true;
}

void World::settle() {
  const auto first = [](const Event& a, const Event& b) {
    return std::pair(a.index, a.kind) < std::pair(b.index, b.kind);
  };
  for (;;) {
    events_.clear();
    list_threads();
    list_links();
    if (events_.empty()) return;
    execute(Event(std::ranges::min(events_.view(), first)));
    drain();
  }
}

// The event that has been chosen, which becomes part of the trace. It stays where it was listed: a
// copy in one piece would wait for the pieces in which it has just been written.
[[gnu::always_inline]] inline const Event& World::take(const FaultsOfStep& faults, Choice choice) {
  std::span<const Event> from = events_.view();
  if (choice.fault) [[unlikely]] {
    const std::span<const Event> listed = faults.list_with(choice.index);
    if (listed.empty()) {
      choice = Choice{};
    } else {
      from = listed;
    }
  }
  choice.index = within(choice.index, static_cast<std::uint32_t>(from.size()));
  record_.chose(choice);
  const Event& event = from[choice.index];
  hash_in(identity(event));
  return event;
}

std::uint32_t World::number(std::uint32_t options) {
  if (options < 2 || !chooser_) return 0;
  return took(within(chooser_->number(options), options));
}

std::uint32_t World::order(std::uint32_t options) {
  if (options < 2 || !chooser_) return 0;
  return took(within(chooser_->order(options), options));
}

// The chooser has chosen it.
std::uint32_t World::took(std::uint32_t number) {
  record_.chose({false, number});
  hash_in(number);
  return number;
}

[[gnu::always_inline]] inline void World::execute(const Event& event) {
  if (event.kind == Event::Kind::kDeliver) return deliver(event);
  if (event.kind == Event::Kind::kApply) return apply(event);
  execute_rare(event);
}

void World::execute_rare(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kDeliver:
    case Event::Kind::kApply: return;
    case Event::Kind::kCloseSession: trace(event); return server_.finish_close(event.index, now_);
    case Event::Kind::kReap: return reap(event);
    case Event::Kind::kStray: return apply_stray(event);
    case Event::Kind::kReplicate: trace(event); return server_.replicate(event.index, now_);
    case Event::Kind::kTimer: return fire_timer(event, true);
    case Event::Kind::kWake: trace(event); return wake(*processes_[event.index]);
    case Event::Kind::kGoOn: return go_on(event);
    case Event::Kind::kFault: return inject(event);
  }
}

[[gnu::always_inline]] inline void World::deliver(const Event& event) {
  current_ = event.index;
  acting_ = process_of_link_[event.index];
  const Link& link = network_.at(event.index);
  if (recorder_) {
    // Whether anybody is there to receive it is the process's memory too.
    recorder_->writes(ObjectKind::kProcess, process_of_link_[event.index]);
    // User code runs, which may use what other processes use.
    recorder_->writes(ObjectKind::kUserMemory);
  }
  const std::unique_ptr<ServerMessage> message = network_.take_item(event.index);
  hash_in(PayloadHash(*message).value());
  trace(event, [&](Step& step) { step.received = message.get(); });
  if (link.endpoint) link.endpoint->receive(*message);
}

[[gnu::always_inline]] inline void World::apply(const Event& event) {
  current_ = event.index;
  take_up(event.index);
  trace(event, [this](Step& step) { step.applied = &server_.last_applied(); });
  // Its process may stall before this or after it, which the session's clock shows.
  if (recorder_ && server_.session_of(event.index) != kNoSession) {
    recorder_->reads(ObjectKind::kSession, server_.session_of(event.index));
  }
  // The server has heard of the session by this, and will hear nothing more.
  if (!stalled(event.index)) return;
  server_.speak_up(event.index);
  server_.fall_silent(event.index, now_);
}

void World::take_up(LinkIndex link) {
  PayloadHash hash(network_.at(link).requests.front());
  server_.apply(link, now_);
  add(hash, server_.last_applied());
  hash_in(hash.value());
}

void World::apply_stray(const Event& event) {
  server_.apply_stray(event.index, now_);
  PayloadHash hash(server_.last_applied().op);
  add(hash, server_.last_applied());
  hash_in(hash.value());
  trace(event, [this](Step& step) { step.applied = &server_.last_applied(); });
}

void World::reap(const Event& event) {
  const PathId path = server_.reaping()[event.index];
  hash_in(paths_->text(path).hash());
  trace(event, [path](Step& step) { step.path = path; });
  server_.finish_reaping(event.index, now_);
}

void World::go_on(const Event& event) {
  acting_ = Threads::process_of(event.index);
  if (recorder_) {
    recorder_->writes(ObjectKind::kProcess, acting_);
    // User code runs, which may use what other processes use.
    recorder_->writes(ObjectKind::kUserMemory);
  }
  trace(event);
  threads_.go_on(event.index);
}

// A timer that fires because nothing else can happen can be swapped with nothing.
void World::record_fired(const NextTimer& timer, bool at_rest) {
  if (at_rest || server_.reaps()) recorder_->touches_everything();
  recorder_->writes(ObjectKind::kClock);
  if (timer.kind != TimerKind::kProcess) return;
  recorder_->writes(ObjectKind::kProcess, timer.index);
  recorder_->writes(ObjectKind::kUserMemory);
}

void World::fire_timer(const Event& event, bool at_rest) {
  const std::optional<TimePoint> due = find_next_timers();
  const NextTimer next = next_timers_[number(static_cast<std::uint32_t>(next_timers_.size()))];
  if (at_rest && rest_watcher_) rest_watcher_->at_rest(*due);
  if (next.kind == TimerKind::kProcess) acting_ = next.index;
  if (recorder_) record_fired(next, at_rest);
  Timer& timer = next.queue->pop();
  move_clock(*due);
  hash_in(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  trace(event, [&](Step& step) {
    step.timer = next.kind;
    step.timer_index = next.index;
  });
  work_.run(timer);
}

void World::advance_clock(TimePoint until) {
  std::uint32_t fired = 0;  // At one instant.
  const auto due = [&] {
    const std::optional<TimePoint> next = find_next_timers();
    return next && *next <= until && fired < work_.most();
  };
  do {
    run_threads();
    while (due()) {
      const TimePoint before = now_;
      fire_timer({Event::Kind::kTimer, FaultKind::kCut, 0}, false);
      fired = now_ == before ? fired + 1 : 0;
      drain();
      run_threads();
    }
    move_clock(until);
  } while (due());  // Of a process that this has woken.
  if (fired == work_.most()) work_.is_endless("timers have fired, all at one instant");
}

const Thread* World::next_thread() const {
  const std::vector<Thread*>& ready = threads_.ready();
  const auto next = std::ranges::find_if(
      ready, [](const Thread* thread) { return !thread->process().stalled(); });
  return next == ready.end() ? nullptr : *next;
}

// Time does not pass while a thread may go on: a preempted thread is late, but not by seconds.
void World::run_threads() {
  for (std::uint32_t gone_on = 0; gone_on < work_.most(); ++gone_on) {
    const Thread* const thread = next_thread();
    if (!thread) return;
    go_on({Event::Kind::kGoOn, FaultKind::kCut, thread->index()});
    drain();
  }
  work_.is_endless("threads have gone on, all at one instant");
}

std::string World::where() const {
  std::string text = steps_ == 0 ? "before the first step" : "in step " + std::to_string(steps_);
  if (acting_ != kNobody) text += ", in which " + process_name(acting_) + " goes on";
  return text;
}

}  // namespace lockstep::fakezk
