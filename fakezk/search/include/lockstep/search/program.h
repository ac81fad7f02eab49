#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/fakezk/world.h"
#include "lockstep/search/judgements.h"
#include "lockstep/search/oracle.h"

namespace lockstep::search {

struct Violation {
  std::string oracle;
  std::string message;
  std::uint32_t step = 0;
};

// Collects the violations of one step and keeps the one that comes first in the order of the
// oracles.
class Verdict {
 public:
  void clear() {
    violation_.reset();
    broken_ = false;
    over_ = false;
  }
  // The execution is over, and its remains are cleared away. From now on only violations that users
  // report count: the clearing itself breaks no guarantee.
  void end_execution() { over_ = true; }
  void report(Oracle oracle, std::string message, std::uint32_t step) {
    report(name(oracle), std::move(message), step);
  }
  // A user's own invariant, or an oracle by its name.
  void report(std::string_view oracle, std::string message, std::uint32_t step);
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }
  // Whether there is a violation. A reference, because callers look at it again and again.
  [[nodiscard]] const bool& is_broken() const { return broken_; }

 private:
  std::optional<Violation> violation_;
  bool broken_ = false;
  bool over_ = false;
};

// Is notified before an execution begins, and after everything of it is gone. The code under test
// runs only in between.
class ExecutionGuard {
 public:
  ExecutionGuard() = default;
  ExecutionGuard(const ExecutionGuard&) = delete;
  ExecutionGuard& operator=(const ExecutionGuard&) = delete;
  virtual ~ExecutionGuard() = default;

  // Before Program::start(). The world's choices are those of the execution from then on.
  virtual void begin(const fakezk::World& world) = 0;
  // After Program::clear(). Each begin() is followed by one end(), which may come without begin()
  // if an execution could not begin.
  virtual void end() noexcept = 0;
};

// A program of some processes that a hunt runs again and again, and the judgement on it.
class Program : public fakezk::ProcessNames {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  // The servers of its world: a World for this program is made with these options.
  [[nodiscard]] virtual fakezk::ServerOptions servers() const { return {}; }
  // Called before each start(). The world starts afresh, or goes back to where the last start() had
  // prepared it, which has the same effect and is faster.
  virtual void reset(fakezk::World& world) { world.reset(); }
  // Builds the processes in such a world and prepares what the search does not vary (sessions are
  // connected, parents exist). It starts the tasks to be searched at its end.
  virtual void start(fakezk::World& world, Verdict& verdict) = 0;
  // The most steps of an execution, if that many are usual: a large program may have more.
  [[nodiscard]] virtual std::uint32_t most_steps(std::uint32_t usual) const { return usual; }
  // Restarts crashed processes. Processes do not crash if this is null.
  [[nodiscard]] virtual fakezk::Restarter* restarter() { return nullptr; }
  // The servers have committed something in the last step: for judges of the servers' effects.
  virtual void committed() {}
  // Judges the world after each step, if judges_each_step(). Such a judge sees every order of
  // steps, so that an exhaustive search can leave out none.
  virtual void after_step(fakezk::World&, Verdict&) {}
  [[nodiscard]] virtual bool judges_each_step() const { return false; }
  // Nothing can happen any more: reports processes that still wait.
  virtual void finish(fakezk::World& world) = 0;
  // Returns the number of facts that each oracle judged in the last execution. Valid until the next
  // start().
  [[nodiscard]] virtual Judgements judgements() const { return {}; }
  // Lets go of everything that belongs to the world; the tasks are gone already.
  virtual void clear() = 0;
  // True if the processes share nothing but ZooKeeper: no memory, and no judges except those that
  // record what they keep (World::recorder). An exhaustive search of any other program has to try
  // more orders.
  [[nodiscard]] virtual bool isolated() const { return false; }

  // Guards every execution from now on.
  void set_guard(std::unique_ptr<ExecutionGuard> guard) { guard_ = std::move(guard); }
  [[nodiscard]] ExecutionGuard* guard() const { return guard_.get(); }

 private:
  std::unique_ptr<ExecutionGuard> guard_;
};

// The outcome of one execution.
struct Outcome {
  std::optional<Violation> violation;
  std::uint64_t trace_hash = 0;
  std::uint32_t steps = 0;
  std::uint32_t positions = 0;
  Judgements judged = {};
};

struct ExecutionLimits {
  fakezk::FaultPlan faults;
  // More are a livelock (see Program::most_steps). In the first half, faults and unfair schedules
  // show violations of safety; from the middle on all faults are repaired and the schedule is fair,
  // which shows liveness.
  std::uint32_t steps = 20'000;
  // More work than this between two steps (World::set_most_work) is a livelock as well.
  std::uint32_t work = 100'000;
};

// Reports exceptions that have escaped from tasks as violations of the oracle "crash".
void report_exceptions(fakezk::World& world, Verdict& verdict);

// Runs one execution in `world`, which has the program's servers, is reset before and emptied
// after. The choices made remain in world.deviations(). A tracer sees the searched part only.
Outcome execute(fakezk::World& world, Program& program, fakezk::Chooser& chooser,
                const ExecutionLimits& limits, fakezk::Tracer* tracer = nullptr);

}  // namespace lockstep::search
