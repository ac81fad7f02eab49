#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/agenda.h"
#include "lockstep/fakezk/choices.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/faults.h"
#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/processes.h"
#include "lockstep/fakezk/server.h"
#include "lockstep/fakezk/threads.h"
#include "lockstep/fakezk/trace.h"
#include "lockstep/fakezk/trace_record.h"
#include "lockstep/fakezk/work_loop.h"
#include "lockstep/fakezk/world_clock.h"

namespace lockstep::fakezk {

class FaultMenu;

// The simulated world: servers, their clients' processes and connections, one clock. Nothing
// happens by itself: step() lets one event happen, and the chooser chooses which. The same
// choices give the same trace hash on every compiler, optimisation level and sanitizer.
// Single-threaded. Reset and used again, it allocates nothing in the steady state.
class World final {
 public:
  explicit World(ServerOptions options = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Destroys the tasks of all processes, and with their frames everything that they hold.
  void end_tasks();
  // The same, and ignores all sessions until the reset: they may be destroyed without an effect.
  void end();
  // Whether an exception has escaped from a task of a process, a listener or posted work.
  // Everything else goes on; the caller that runs the world takes the first exception, and throws
  // or reports it.
  [[nodiscard]] bool task_failed() const { return work_.escaped() != nullptr; }
  [[nodiscard]] std::exception_ptr take_exception();

  // Returns to the state of a new world. Sessions of this world must have been destroyed before.
  void reset();

  // The state of a world at rest: it has processes, sessions and znodes, but nothing runs, waits,
  // is watched, held or in flight, no fault has struck, and no clock drifts.
  struct Checkpoint;
  // The present state, for reset_to(); none if the world is not at rest.
  [[nodiscard]] std::optional<Checkpoint> checkpoint() const;
  // Restores that state, without the clients' ends of the links: clients attach theirs
  // (Network::attach). Returns false and does nothing if the checkpoint belongs to another world,
  // or is older than a reset that has dropped the names of its znodes.
  [[nodiscard]] bool reset_to(const Checkpoint& checkpoint);

  // -- What a program is made of.
  Process& add_process() { return processes_.add(); }
  [[nodiscard]] Process& process(std::uint32_t index) { return processes_[index]; }
  [[nodiscard]] const Process& process(std::uint32_t index) const { return processes_[index]; }
  [[nodiscard]] std::uint32_t process_count() const { return processes_.size(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const {
    return processes_.name(process);
  }
  // A place for one client's connections, belonging to a process.
  LinkIndex add_link(Process& process, Endpoint& endpoint);
  [[nodiscard]] std::uint32_t process_of(LinkIndex link) const { return processes_.of_link(link); }

  // -- Running.
  void set_faults(const FaultPlan& plan) { faults_.set_plan(plan); }
  // Without one, processes do not crash. Until the reset.
  void set_restarter(Restarter* restarter) { faults_.set_restarter(restarter); }
  // Without them, processes are called by their numbers. Until the reset.
  void set_names(const ProcessNames* names) { processes_.set_names(names); }
  // Without one, rests are not reported. Until the reset.
  void set_rest_watcher(RestWatcher* watcher) { rest_watcher_ = watcher; }
  // How code that blocks waits in this world; without one it may not. Until the reset.
  void set_blocker(Blocker* blocker) { processes_.set_blocker(blocker); }
  // Lets one event happen and runs everything that it sets off in the processes. False if nothing
  // can happen any more, not even a timer; the chooser may then let a last fault strike.
  bool step(Chooser& chooser) { return run(chooser, kNoStop, steps_ + 1); }
  // The same, but leaves the clock alone: false also when only timers are left.
  bool step_without_time(Chooser& chooser) { return run(chooser, kNoStop, steps_ + 1, false); }
  // Goes on step by step until there is something to look at: the servers have committed, a task
  // has failed, `stop` has become true, or there have been `end` steps. One step at least. False as
  // above.
  bool run(Chooser& chooser, const bool& stop, std::uint32_t end, bool with_timers = true);
  // Returns a number below `options` for code that runs in a step: the chooser's choice. 0, the
  // default, outside steps: so nothing is chosen before the first one.
  [[nodiscard]] std::uint32_t draw(std::uint32_t options) { return choices_.number(options); }
  // Delivers all messages in flight, and those that follow from them, without a choice: for
  // preparations.
  void settle();
  // Runs what has been posted to the processes.
  void drain() { work_.run_posted(); }
  // The most that may run between two steps: pieces of work, timers of one instant, or coroutines
  // in a row that have nothing to wait for. More escapes as an Endless. Until the reset.
  void set_most_work(std::uint32_t most) { work_.set_most(most); }
  // By hand a test may have a hundred thousand waiters that all wake at once.
  static constexpr std::uint32_t kMostWork = 5'000'000;
  // While this lives, the world limits chains of coroutines on this thread.
  class ChainsEnd;
  // Timers that are due by then fire first; messages in flight stay in flight.
  void advance_clock(TimePoint until);
  // When the next timer is due, also one that runs in the background; none if there is none.
  [[nodiscard]] std::optional<TimePoint> next_timer() { return clock_.find_next(); }
  // Fires the earliest timer, in a step with this event, although something else could happen.
  void fire_timer(const Event& event) { fire_timer(event, false); }
  // The servers process the oldest request of a link; its contents enter the trace hash. Returns
  // what Server::apply() does.
  const Applied& process_message(LinkIndex link);
  // Heals everything that is broken. No fault strikes any more, and the default order is fair from
  // now on: the client that was served last comes last.
  void heal();

  // -- Its parts.
  [[nodiscard]] Faults& faults() { return faults_; }
  [[nodiscard]] const Faults& faults() const { return faults_; }
  [[nodiscard]] Processes& processes() { return processes_; }
  [[nodiscard]] const WorldClock& clock() const { return clock_; }
  [[nodiscard]] Choices& choices() { return choices_; }
  // The servers, for what is done to them by hand.
  [[nodiscard]] Server& servers() { return server_; }
  [[nodiscard]] Threads& threads() { return threads_; }
  [[nodiscard]] const Threads& threads() const { return threads_; }

  // -- Looking.
  [[nodiscard]] TimePoint now() const { return time_.now(); }
  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::uint32_t positions() const { return record_.positions(); }
  [[nodiscard]] std::uint32_t faults_injected() const { return faults_.injected(); }
  [[nodiscard]] FaultKinds kinds_injected() const { return faults_.kinds_injected(); }
  [[nodiscard]] std::uint64_t trace_hash() const { return record_.hash(); }
  [[nodiscard]] const std::vector<Deviation>& deviations() const { return record_.deviations(); }
  // Describes the current step, for messages: "in step 3, in which B goes on".
  [[nodiscard]] std::string where() const;

  void set_tracer(Tracer* tracer) {
    tracer_ = tracer;
    if (tracer_) tracer_->settled();
  }
  void trace(const Step& step) {
    if (tracer_) tracer_->step(step);
  }
  // A remark about a process, or about one of its users: Tracer::user_note.
  void note(std::uint32_t process, std::string_view text, std::uint32_t user = 0) {
    if (!tracer_) return;
    if (user == 0) return tracer_->note(process, text);
    tracer_->user_note(process, user, text);
  }
  void grant_begins(std::uint32_t process, const Path& znode) {
    if (tracer_) tracer_->grant_begins(process, znode);
  }
  void grant_ends(std::uint32_t process, const Path& znode) {
    if (tracer_) tracer_->grant_ends(process, znode);
  }
  [[nodiscard]] bool traced() const { return tracer_ != nullptr; }
  // Reports everything that the steps touch to `recorder`; null stops it. Judges and programs that
  // keep memory of their own report it here too.
  void record_footprints(FootprintRecorder* recorder);
  [[nodiscard]] FootprintRecorder* recorder() const { return recorder_; }

  // The existence of a znode matters to the current step, although the step knows it from
  // elsewhere.
  void note_existence(PathId znode) const { server_.tree().note_existence(znode); }

  // Makes a fact part of the trace hash.
  void hash_in(std::uint64_t fact) { record_.hash_in(fact); }

  // From here on positions, deviations and the trace hash count: what came before was preparation.
  void begin_trace();

 private:
  static constexpr bool kNoStop = false;

  void begin_again();
  [[nodiscard]] bool at_rest() const;
  bool step(Chooser& chooser, bool with_timers);
  bool step_at_rest(Chooser& chooser);
  void take_step(Chooser& chooser, const FaultMenu& faults, Choice choice);
  const Event& take(const FaultMenu& faults, Choice choice);
  void execute(const Event& event);
  void execute_rare(const Event& event);
  void deliver(const Event& event);
  void apply(const Event& event);
  void apply_stray(const Event& event);
  void reap(const Event& event);
  void go_on(const Event& event);
  void run_threads();
  // `at_rest`: because nothing else can happen.
  void fire_timer(const Event& event, bool at_rest);
  void record_fired(const NextTimer& timer, bool at_rest);
  [[nodiscard]] bool a_timer_may_fire();
  void move_clock(TimePoint to);
  void trace(const Event& event) {
    trace(event, [](Step&) {});
  }
  // `fill` adds what belongs to this kind of event.
  template <class Fill>
  void trace(const Event& event, Fill fill) {
    if (!tracer_) return;
    Step step{.number = steps_, .event = event, .now = now()};
    fill(step);
    tracer_->step(step);
  }

  TraceRecord record_;
  Choices choices_{record_};
  Network network_;
  WorldTime time_;
  ServerTimers timers_;
  WorkLoop work_{*this};
  std::shared_ptr<PathTable> paths_;
  Server server_;
  Processes processes_{*this, work_, time_};
  Threads threads_;
  WorldClock clock_{timers_, processes_};
  Agenda agenda_{network_, server_, processes_, threads_};
  Faults faults_{*this};
  RestWatcher* rest_watcher_ = nullptr;
  std::uint32_t steps_ = 0;
  Tracer* tracer_ = nullptr;
  FootprintRecorder* recorder_ = nullptr;
};

class World::ChainsEnd {
 public:
  explicit ChainsEnd(World& world) : before_(internal::chain_limit) {
    internal::chain_limit = &world.work_.chains();
  }
  ChainsEnd(const ChainsEnd&) = delete;
  ChainsEnd& operator=(const ChainsEnd&) = delete;
  ~ChainsEnd() { internal::chain_limit = before_; }

 private:
  internal::ChainLimit* before_;
};

// Callers only keep it: its members are the world's.
struct World::Checkpoint {
  std::shared_ptr<PathTable> paths;  // No other world has it.
  Network::Checkpoint network;
  Server::Checkpoint servers;
  Processes::Checkpoint processes;
  LinkIndex current;
  TimePoint now;
};

}  // namespace lockstep::fakezk
