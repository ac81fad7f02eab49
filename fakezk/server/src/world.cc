#include "lockstep/fakezk/world.h"

#include <algorithm>
#include <utility>

#include "fault_menu.h"
#include "payload_hash.h"

namespace lockstep::fakezk {

namespace {

std::uint64_t identity(const Event& event) {
  return static_cast<std::uint64_t>(event.kind) << 40 |
         static_cast<std::uint64_t>(event.fault) << 32 | event.index;
}

// Hashes the outcome of a request; the hash of its reply covers the rest.
void add(PayloadHash& hash, const Applied& applied) {
  hash.add(applied.zxid);
  if (applied.has_error) hash.add(static_cast<std::int64_t>(applied.error));
}

}  // namespace

World::World(ServerOptions options)
    : timers_(options.replicas),
      paths_(std::make_shared<PathTable>()),
      server_(network_, timers_, choices_, paths_, options) {
  work_.set_most(kMostWork);
}

World::~World() { end_tasks(); }

void World::end_tasks() { processes_.end_tasks(); }

void World::end() {
  // Endless work may be left over. It does not run any more.
  work_.clear();
  end_tasks();
  network_.detach_all();
}

std::exception_ptr World::take_exception() { return std::exchange(work_.escaped(), nullptr); }

void World::record_footprints(FootprintRecorder* recorder) {
  recorder_ = recorder;
  time_.record_into(recorder);
  network_.record_into(recorder);
  server_.record_into(recorder);
}

void World::begin_trace() {
  steps_ = 0;
  processes_.set_acting(Processes::kNoProcess);
  record_.begin();
  server_.keep_log();
}

LinkIndex World::add_link(Process& process, Endpoint& endpoint) {
  if (recorder_) recorder_->writes(ObjectKind::kLinkTable);
  processes_.add_link(process);
  return network_.add(endpoint);
}

bool World::run(Chooser& chooser, const bool& stop, std::uint32_t end, bool with_timers) {
  const std::size_t committed = server_.history().size();
  do {
    if (!step(chooser, with_timers)) return false;
  } while (steps_ < end && !stop && !task_failed() && server_.history().size() == committed);
  return true;
}

[[gnu::always_inline]] inline bool World::step(Chooser& chooser, bool with_timers) {
  agenda_.list();
  if (agenda_.is_at_rest()) [[unlikely]]
    return with_timers && step_at_rest(chooser);
  const FaultMenu faults(*this);
  const Choice choice = chooser.next(Menu(agenda_.events(), faults));
  take_step(chooser, faults, choice);
  return true;
}

[[gnu::always_inline]] inline void World::take_step(Chooser& chooser, const FaultMenu& faults,
                                                    Choice choice) {
  choices_.begin_step(chooser);
  processes_.set_acting(Processes::kNoProcess);
  const Event& event = take(faults, choice);
  ++steps_;
  execute(event);
  if (!work_.empty()) work_.run_posted();
  choices_.end_step();
  if (tracer_) tracer_->settled();
}

namespace {

// The order of the last steps is accidental: a fault that strikes between them could also strike
// after all of them.
std::optional<Choice> last_fault(Chooser& chooser, const Menu& menu) {
  const std::optional<std::uint32_t> fault = chooser.last_fault(menu);
  if (!fault || menu.faults().empty()) return std::nullopt;
  return Choice{true, *fault};
}

}  // namespace

// The clock moves when nothing else can happen, except that stalled processes may wake, which can
// wait. When even the clock stands still, a last fault may strike.
bool World::step_at_rest(Chooser& chooser) {
  agenda_.list_at_rest(a_timer_may_fire());
  const FaultMenu faults(*this);
  const Menu menu(agenda_.events(), faults);
  const std::optional<Choice> choice =
      menu.events().empty() ? last_fault(chooser, menu) : chooser.next(menu);
  if (!choice) return false;
  take_step(chooser, faults, *choice);
  return true;
}

void World::settle() {
  const auto first = [](const Event& a, const Event& b) {
    return std::pair(a.index, a.kind) < std::pair(b.index, b.kind);
  };
  for (;;) {
    agenda_.list_under_way();
    if (agenda_.events().empty()) return;
    execute(Event(std::ranges::min(agenda_.events(), first)));
    drain();
  }
}

// Makes the chosen event part of the trace. The event stays where it was listed: a copy would be a
// wide load right after narrower stores, and stall on store forwarding.
[[gnu::always_inline]] inline const Event& World::take(const FaultMenu& faults, Choice choice) {
  std::span<const Event> from = agenda_.events();
  if (choice.fault) [[unlikely]] {
    const std::span<const Event> listed = faults.list_with(choice.index);
    if (listed.empty()) {
      choice = Choice{};
    } else {
      from = listed;
    }
  }
  choice.index = Choices::within(choice.index, static_cast<std::uint32_t>(from.size()));
  record_.chose(choice);
  const Event& event = from[choice.index];
  hash_in(identity(event));
  return event;
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
    case Event::Kind::kCloseSession: trace(event); return server_.finish_close(event.index, now());
    case Event::Kind::kReap: return reap(event);
    case Event::Kind::kStray: return apply_stray(event);
    case Event::Kind::kReplicate: trace(event); return server_.replicate(event.index, now());
    case Event::Kind::kTimer: return fire_timer(event, true);
    case Event::Kind::kWake: trace(event); return faults_.wake(processes_[event.index]);
    case Event::Kind::kGoOn: return go_on(event);
    case Event::Kind::kFault: return faults_.strike(event);
  }
}

[[gnu::always_inline]] inline void World::deliver(const Event& event) {
  agenda_.set_current(event.index);
  processes_.set_acting(process_of(event.index));
  const Link& link = network_.at(event.index);
  if (recorder_) {
    // The presence of a receiver is part of the process's memory, too.
    recorder_->writes(ObjectKind::kProcess, process_of(event.index));
    // User code runs, which may use memory of other processes.
    recorder_->writes(ObjectKind::kUserMemory);
  }
  const std::unique_ptr<ServerMessage> message = network_.take_item(event.index);
  hash_in(PayloadHash(*message).value());
  trace(event, [&](Step& step) { step.received = message.get(); });
  if (link.endpoint) link.endpoint->receive(*message);
}

[[gnu::always_inline]] inline void World::apply(const Event& event) {
  agenda_.set_current(event.index);
  const Applied& applied = process_message(event.index);
  trace(event, [&applied](Step& step) { step.applied = &applied; });
  // The session's clock shows whether its process stalls before this or after it.
  if (recorder_ && server_.session_of(event.index) != kNoSession) {
    recorder_->reads(ObjectKind::kSession, server_.session_of(event.index));
  }
  // Through this request, the server hears of the session once more; then the silence begins.
  if (!processes_.stalled(event.index)) return;
  server_.end_silence(event.index);
  server_.begin_silence(event.index, now());
}

const Applied& World::process_message(LinkIndex link) {
  PayloadHash hash(network_.at(link).requests.front());
  const Applied& applied = server_.apply(link, now());
  add(hash, applied);
  hash_in(hash.value());
  return applied;
}

void World::apply_stray(const Event& event) {
  const Applied& applied = server_.apply_stray(event.index, now());
  PayloadHash hash(applied.op);
  add(hash, applied);
  hash_in(hash.value());
  trace(event, [&applied](Step& step) { step.applied = &applied; });
}

void World::reap(const Event& event) {
  const PathId path = server_.reaping()[event.index];
  hash_in(paths_->text(path).hash());
  trace(event, [path](Step& step) { step.path = path; });
  server_.finish_reaping(event.index, now());
}

void World::go_on(const Event& event) {
  processes_.set_acting(Threads::process_of(event.index));
  if (recorder_) {
    recorder_->writes(ObjectKind::kProcess, processes_.acting());
    // User code runs, which may use memory of other processes.
    recorder_->writes(ObjectKind::kUserMemory);
  }
  trace(event);
  threads_.go_on(event.index);
}

// A timer that fires because nothing else can happen conflicts with every other step.
void World::record_fired(const NextTimer& timer, bool at_rest) {
  if (at_rest || server_.reaps()) recorder_->touches_everything();
  recorder_->writes(ObjectKind::kClock);
  if (timer.kind != TimerKind::kProcess) return;
  recorder_->writes(ObjectKind::kProcess, timer.index);
  recorder_->writes(ObjectKind::kUserMemory);
}

void World::fire_timer(const Event& event, bool at_rest) {
  const std::optional<TimePoint> due = clock_.find_next();
  const auto timers = static_cast<std::uint32_t>(clock_.next().size());
  const NextTimer next = clock_.next()[choices_.number(timers)];
  if (at_rest && rest_watcher_) rest_watcher_->at_rest(*due);
  if (next.kind == TimerKind::kProcess) processes_.set_acting(next.index);
  if (recorder_) record_fired(next, at_rest);
  Timer& timer = next.queue->pop();
  move_clock(*due);
  hash_in(static_cast<std::uint64_t>(now().time_since_epoch().count()));
  trace(event, [&](Step& step) {
    step.timer = next.kind;
    step.timer_index = next.index;
  });
  work_.run(timer);
}

void World::advance_clock(TimePoint until) {
  std::uint32_t fired = 0;  // At the same instant.
  const auto due = [&] {
    const std::optional<TimePoint> next = clock_.find_next();
    return next && *next <= until && fired < work_.most();
  };
  do {
    run_threads();
    while (due()) {
      const TimePoint before = now();
      fire_timer({Event::Kind::kTimer, FaultKind::kCut, 0}, false);
      fired = now() == before ? fired + 1 : 0;
      drain();
      run_threads();
    }
    move_clock(until);
  } while (due());  // A process that has woken now may have due timers.
  if (fired == work_.most()) work_.report_endless("timers have fired, all at one instant");
}

// Time does not pass while a thread may go on: a preempted thread is late, but not by seconds.
void World::run_threads() {
  for (std::uint32_t gone_on = 0; gone_on < work_.most(); ++gone_on) {
    const Thread* const thread = threads_.next();
    if (!thread) return;
    go_on({Event::Kind::kGoOn, FaultKind::kCut, thread->index()});
    drain();
  }
  work_.report_endless("threads have gone on, all at one instant");
}

bool World::a_timer_may_fire() {
  if (!clock_.is_waited_for()) return false;
  const std::optional<TimePoint> due = clock_.find_next();
  return due && !processes_.any_wakes_before(*due);
}

void World::move_clock(TimePoint to) {
  time_.move_to(to);
  if (processes_.stalled() == 0) return;
  for (const auto& process : processes_.all()) {
    if (process->wakes_before(now())) faults_.wake(*process);
  }
}

void World::heal() {
  agenda_.become_fair();
  threads_.become_fair();
  faults_.heal();
}

std::string World::where() const {
  std::string text = steps_ == 0 ? "before the first step" : "in step " + std::to_string(steps_);
  const std::uint32_t acting = processes_.acting();
  if (acting != Processes::kNoProcess) text += ", in which " + process_name(acting) + " goes on";
  return text;
}

}  // namespace lockstep::fakezk
