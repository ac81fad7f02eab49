#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/executor.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/event_list.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/fault_budget.h"
#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/random_stream.h"
#include "lockstep/fakezk/server.h"
#include "lockstep/fakezk/threads.h"
#include "lockstep/fakezk/trace.h"
#include "lockstep/fakezk/trace_record.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/fakezk/work_loop.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/timer_queue.h"
#include "lockstep/task_set.h"

namespace lockstep::fakezk {

class World;

// One simulated process: an executor with a clock, a random stream and tasks of its own. Its clock
// runs with the world's unless it drifts.
class Process final : public Executor {
 public:
  inline Process(World& world, std::uint32_t index);

  [[nodiscard]] TimePoint now() const override;
  void post(Runnable& work) override;
  void withdraw(Runnable& work) noexcept override;
  void start_timer(Timer& timer, TimePoint due) override;
  void stop_timer(Timer& timer) noexcept override;
  void escaped(std::exception_ptr exception) noexcept override;
  [[nodiscard]] Blocker& blocker() noexcept override;

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] TaskSet& tasks() { return tasks_; }
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] bool stalled() const { return stalled_; }
  // All that decides what its clock and its timers do from now on, but for what it does itself.
  [[nodiscard]] std::uint64_t clock_hash() const;

 private:
  friend class World;
  enum class Pace : std::int8_t { kSlow = -1, kExact = 0, kFast = 1 };

  void reset();
  [[nodiscard]] bool at_rest() const {
    return tasks_.empty() && timers_.empty() && pace_ == Pace::kExact;
  }
  void drift(Pace pace);
  // The world's time when this clock shows `due`, or a little later.
  [[nodiscard]] TimePoint in_world_time(TimePoint due) const;
  [[nodiscard]] TimePoint drifting_now() const;

  World& world_;
  std::uint32_t index_;
  RandomStream random_;
  TaskSet tasks_;
  internal::TimerQueue timers_;  // Due by its own clock.
  bool stalled_ = false;
  TimePoint wakes_at_{};  // At the latest, in world time.
  Pace pace_ = Pace::kExact;
  TimePoint drifts_since_{};  // In world time,
  TimePoint drifted_from_{};  // and by its own clock.
};

// Starts a crashed process again.
class Restarter {
 public:
  // The process has died: its tasks are gone, and nothing it sends goes anywhere any more. Lets go
  // of its sessions, which do not know yet, and may start it again.
  virtual void restart(Process& process) = 0;

 protected:
  ~Restarter() = default;
};

// Names the processes in a report.
class ProcessNames {
 public:
  // "A".
  [[nodiscard]] virtual std::string process_name(std::uint32_t process) const = 0;

 protected:
  ~ProcessNames() = default;
};

// Hears that nothing can happen any more until time passes.
class RestWatcher {
 public:
  // The clock is about to move on to `until`.
  virtual void at_rest(TimePoint until) = 0;

 protected:
  ~RestWatcher() = default;
};

// The simulated world: one server, its clients' processes and connections, one clock. Nothing
// happens by itself: step() lets one event happen, which one is the chooser's choice. The same
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
  // A task of a process, a listener or posted work has let an exception escape. It has ended
  // nothing else; the caller that runs the world takes the first of them and throws or reports it.
  [[nodiscard]] bool task_failed() const { return work_.escaped() != nullptr; }
  [[nodiscard]] std::exception_ptr take_exception();

  // Everything as if new. Whoever holds sessions of this world must have let go of them.
  void reset();

  // A world that rests: processes, sessions and znodes, but nothing that runs, waits, is watched,
  // held or under way, no fault that has struck, and no clock but the world's.
  class Checkpoint;
  // To come back to; none if the world does not rest.
  [[nodiscard]] std::optional<Checkpoint> checkpoint() const;
  // Everything as it was then, without an end of a link: clients attach theirs (Network::attach).
  // False, with nothing done, if the checkpoint is another world's, or from before a reset that has
  // dropped the names of its znodes.
  [[nodiscard]] bool reset_to(const Checkpoint& checkpoint);

  // When the servers' timers are due.
  [[nodiscard]] std::uint64_t timer_hash();

  // -- What a program is made of.
  Process& add_process();
  [[nodiscard]] Process& process(std::uint32_t index) { return *processes_[index]; }
  [[nodiscard]] std::uint32_t process_count() const { return process_count_; }
  [[nodiscard]] std::string process_name(std::uint32_t process) const {
    return names_ ? names_->process_name(process) : "process " + std::to_string(process);
  }
  // A place for one client's connections, belonging to a process.
  LinkIndex add_link(Process& process, Endpoint& endpoint);
  [[nodiscard]] std::uint32_t process_of(LinkIndex link) const { return process_of_link_[link]; }

  // -- Running.
  void set_faults(const FaultPlan& plan) { budget_.set_plan(plan); }
  // Without one, processes do not crash. Until the reset.
  void set_restarter(Restarter* restarter) { restarter_ = restarter; }
  // Without them, processes are called by their numbers. Until the reset.
  void set_names(const ProcessNames* names) { names_ = names; }
  // Without one, no one hears of rests. Until the reset.
  void set_rest_watcher(RestWatcher* watcher) { rest_watcher_ = watcher; }
  // How code that blocks waits in this world; without one it may not. Until the reset.
  void set_blocker(Blocker* blocker) { blocker_ = blocker; }
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
  // default, outside steps.
  [[nodiscard]] std::uint32_t draw(std::uint32_t options) { return number(options); }
  // Delivers all messages in flight, and those that follow from them, without a choice: for
  // preparations.
  void settle();
  // Runs what has been posted to the processes.
  void drain() { work_.run_posted(); }
  // So much may run between two steps: pieces of work, timers of one instant, or coroutines in a
  // row that have nothing to wait for. More is taken for Endless, and escapes. Until the reset.
  void set_most_work(std::uint32_t most) { work_.set_most(most); }
  // By hand a test may have a hundred thousand waiters that all wake at once.
  static constexpr std::uint32_t kMostWork = 5'000'000;
  // While this lives, chains of coroutines on this thread are the world's to end.
  class ChainsEnd;
  // Timers that are due by then fire first; messages under way stay there.
  void advance_clock(TimePoint until);
  // When the next timer is due, also one that runs in the background; none if there is none.
  [[nodiscard]] std::optional<TimePoint> next_timer() { return find_next_timers(); }
  // Time passes until a silent session has expired, and what is asked on this connection meanwhile
  // would be answered long before: it is another session's, it is sound, and nothing that the
  // schedule leaves in flight stands in front.
  [[nodiscard]] bool answers_meanwhile(LinkIndex link) const;
  // The leader hears of the session of this connection, and lets it live.
  [[nodiscard]] bool hears(LinkIndex link) const;
  // Faults, by hand or chosen.
  void cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received);
  // The same, but what the server has accepted it applies later: an event of its own.
  void cut_late(LinkIndex index, std::uint32_t accepted, std::uint32_t received);
  void expire(SessionIndex session);
  void kill_session(SessionIndex session);
  // Every connection ends with it: no request that was under way arrives. By hand, every answer
  // does; the fault loses any of the last ones on each connection.
  void change_leader();
  // The same, and the last `writes` writes never happened (Server::forget_writes).
  void forget_writes(std::uint32_t writes);
  // Mends everything that is broken. No fault strikes any more, and the default order is fair from
  // now on: the client that was served last comes last.
  void heal();
  // A process executes nothing until it is woken; the clock brings it back after kLongestStall.
  void stall(Process& process);
  void wake(Process& process);
  static constexpr Duration kLongestStall = std::chrono::minutes(1);
  // A process dies: of what it has sent on each connection, the server has accepted as much as the
  // chooser says, by hand nothing.
  void crash(Process& process);
  // From now on its clock is slow or fast by one part in kDriftParts.
  void drift(Process& process, bool fast);
  // A fast clock passes over one of its ticks now and then: what is due at that one comes with the
  // next.
  static constexpr Duration kPassedOver{1};
  // The servers, for what is done to them by hand.
  [[nodiscard]] Server& servers() { return server_; }
  [[nodiscard]] Threads& threads() { return threads_; }

  // -- Looking.
  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::uint32_t positions() const { return record_.positions(); }
  [[nodiscard]] std::uint32_t faults_injected() const { return budget_.used(); }
  [[nodiscard]] FaultKinds kinds_injected() const { return budget_.kinds_used(); }
  [[nodiscard]] std::uint64_t trace_hash() const { return record_.hash(); }
  [[nodiscard]] const std::vector<Deviation>& deviations() const { return record_.deviations(); }
  // Describes the step that is under way, for messages: "in step 3, in which B goes on".
  [[nodiscard]] std::string where() const;

  void set_tracer(Tracer* tracer) {
    tracer_ = tracer;
    if (tracer_) tracer_->settled();
  }
  void note(std::uint32_t process, std::string_view text) {
    if (tracer_) tracer_->note(process, text);
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
  friend class Process;
  friend struct FaultsHand;
  class FaultsOfStep;
  static constexpr std::uint32_t kNobody = static_cast<std::uint32_t>(-1);
  static constexpr bool kNoStop = false;

  void begin_again();
  [[nodiscard]] bool at_rest() const;
  void list_events();
  void list_with_late_events();
  void list_ready_links();
  void list_links();
  void list_links_fairly();
  void list_reaping();
  void leave_out_what_waits();
  [[nodiscard]] bool waits(const Event& event) const;
  void list_late_events();
  void list_wakes();
  void list_threads();
  void run_threads();
  // The one that may go on first; null if there is none.
  [[nodiscard]] const Thread* next_thread() const;
  [[nodiscard]] FaultKinds faults_left() const;
  [[nodiscard]] FaultKinds possible_faults(FaultKinds kinds) const;
  bool step(Chooser& chooser, bool with_timers);
  bool step_at_rest(Chooser& chooser);
  void begin_step(Chooser& chooser);
  void happens(const FaultsOfStep& faults, Choice choice);
  const Event& take(const FaultsOfStep& faults, Choice choice);
  // A number below `options`, from the chooser of the step; 0 when something is done by hand.
  std::uint32_t number(std::uint32_t options);
  std::uint32_t order(std::uint32_t options);
  std::uint32_t took(std::uint32_t number);
  void execute(const Event& event);
  void execute_rare(const Event& event);
  void inject(const Event& event);
  void end_connections();
  void deliver(const Event& event);
  void apply(const Event& event);
  void apply_stray(const Event& event);
  // The servers take up the oldest request of a link; what it carries enters the trace hash.
  void take_up(LinkIndex link);
  void reap(const Event& event);
  void go_on(const Event& event);
  // `at_rest`: because nothing else can happen.
  void fire_timer(const Event& event, bool at_rest);
  // The timers that may fire next, one of each queue: those that are due first, whose clocks are
  // never so equal that it is sure which of them comes before the others. Those of stalled
  // processes wait.
  struct NextTimer {
    internal::TimerQueue* queue;
    TimerKind kind;
    std::uint32_t index;  // As TimerKind says.
  };
  // When they are due; none if there are none.
  std::optional<TimePoint> find_next_timers();
  [[nodiscard]] bool a_timer_runs() const;
  [[nodiscard]] bool may_fire(std::optional<TimePoint> due) const;
  // Timers that keep nothing going do not count.
  [[nodiscard]] bool waits_for_the_clock();
  void move_clock(TimePoint to);
  [[nodiscard]] bool stalled(LinkIndex link) const {
    return stalled_count_ > 0 && processes_[process_of_link_[link]]->stalled();
  }
  template <class Act>
  void each_link_of(const Process& process, Act act);
  void trace(const Step& step) {
    if (tracer_) tracer_->step(step);
  }
  void trace(const Event& event) {
    trace(event, [](Step&) {});
  }
  // `fill` adds what belongs to this kind of event.
  template <class Fill>
  void trace(const Event& event, Fill fill) {
    if (!tracer_) return;
    Step step{.number = steps_, .event = event, .now = now_};
    fill(step);
    tracer_->step(step);
  }
  void record_pace(const Process& process);
  void record_fired(const NextTimer& timer, bool at_rest);

  // Answers the servers' questions by the chooser. A member, because the undefined behaviour
  // sanitizer checks an object with virtual functions at each use.
  class Numbers final : public Unspecified {
   public:
    explicit Numbers(World& world) : world_(world) {}
    std::uint32_t number(std::uint32_t options) override { return world_.number(options); }
    std::uint32_t order(std::uint32_t options) override { return world_.order(options); }

   private:
    World& world_;
  };

  Numbers numbers_{*this};
  Network network_;
  ServerTimers timers_;
  WorkLoop work_{*this};
  std::shared_ptr<PathTable> paths_;
  Server server_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::uint32_t process_count_ = 0;
  std::vector<std::uint32_t> process_of_link_;
  Threads threads_;
  TimePoint now_{};
  std::uint32_t stalled_count_ = 0;
  bool healed_ = false;
  Restarter* restarter_ = nullptr;
  const ProcessNames* names_ = nullptr;
  RestWatcher* rest_watcher_ = nullptr;
  Blocker* blocker_ = nullptr;

  const FaultKinds impossible_alone_ = faults_that_need(FaultNeed::kReplicas);
  const FaultKinds impossible_for_good_ = faults_that_need(FaultNeed::kRestarter);
  FaultBudget budget_;
  EventList events_;
  EventList faults_;
  std::vector<NextTimer> next_timers_;       // As found last.
  std::vector<std::uint32_t> lost_inboxes_;  // As in Step.
  LinkIndex current_ = 0;                    // Whose event came last.
  std::optional<SessionIndex> expiring_;     // While the clock moves on to its end.
  Chooser* chooser_ = nullptr;               // Of the step that is under way.
  std::uint32_t acting_ = kNobody;           // The process that it has set going.

  std::uint32_t steps_ = 0;
  TraceRecord record_;
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

// Exceptions that its tasks let escape go to the world, as all others do.
inline Process::Process(World& world, std::uint32_t index)
    : world_(world), index_(index), tasks_(world.work_.escaped()) {}

class World::Checkpoint {
 private:
  friend class World;
  Checkpoint(std::shared_ptr<PathTable> table, Network::Checkpoint ends, Server::Checkpoint server,
             std::vector<std::uint32_t> process_of, LinkIndex current_link, TimePoint time)
      : paths(std::move(table)),
        network(std::move(ends)),
        servers(std::move(server)),
        process_of_link(std::move(process_of)),
        current(current_link),
        now(time) {}

  std::shared_ptr<PathTable> paths;  // No other world has it.
  Network::Checkpoint network;
  Server::Checkpoint servers;
  std::vector<std::uint32_t> process_of_link;
  LinkIndex current;
  std::vector<std::uint64_t> random;  // The position of each process's stream.
  TimePoint now;
};

inline TimePoint Process::now() const {
  if (world_.recorder_) world_.recorder_->reads(ObjectKind::kClock);
  return pace_ == Pace::kExact ? world_.now_ : drifting_now();
}
inline void Process::post(Runnable& work) { world_.work_.post(work); }
inline void Process::withdraw(Runnable& work) noexcept { world_.work_.withdraw(work); }
inline void Process::start_timer(Timer& timer, TimePoint due) {
  if (world_.recorder_) world_.recorder_->reads(ObjectKind::kClock);
  timers_.push(timer, due);
}
inline void Process::stop_timer(Timer& timer) noexcept {
  if (world_.recorder_) world_.recorder_->reads(ObjectKind::kClock);
  timers_.erase(timer);
}
inline void Process::escaped(std::exception_ptr exception) noexcept {
  world_.work_.escapes(std::move(exception));
}
inline Blocker& Process::blocker() noexcept {
  internal::check(world_.blocker_ != nullptr, "code blocks in a world that has no Blocker");
  return *world_.blocker_;
}

}  // namespace lockstep::fakezk
