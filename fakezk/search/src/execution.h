#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "lockstep/internal/exception_witness.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

class Execution;

// Watches an execution for a search that may break it off.
class ExecutionWatcher {
 public:
  // Asked after each step; false breaks the execution off.
  virtual bool goes_on() = 0;
  // No step follows. False if the program shall not judge the end: it is not one.
  virtual bool is_judged(const Execution& execution) = 0;

 protected:
  ~ExecutionWatcher() = default;
};

// One execution of a program, step by step, in a world that nothing else uses meanwhile: when it is
// judged, and when faults are repaired. All kinds of searches use it, so that a schedule found by
// one is judged alike by all others.
class Execution : private internal::ExceptionWitness {
 public:
  Execution(fakezk::World& world, Program& program, const ExecutionLimits& limits)
      : world_(world),
        program_(program),
        limits_(limits),
        middle_(limits.steps / 2),
        judges_(program.judges_each_step()) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution() override { clear_away(); }

  // Runs it from its start until a guarantee is broken, nothing can happen any more or the watcher
  // breaks it off. A tracer sees the searched part only.
  void run(fakezk::Chooser& chooser, fakezk::Tracer* tracer, ExecutionWatcher* watcher = nullptr);
  // Only prepares the world and the program, for a caller who then lets the world take its steps.
  void start(fakezk::Tracer* tracer);
  // Ends the tasks that still run and lets the program go of everything that belongs to the world.
  // Violations that destructors report then count as well, so the verdict is complete only
  // afterwards. The destructor does so at the latest.
  void clear_away();
  // Nothing can happen any more.
  [[nodiscard]] bool ended() const { return ended_; }
  // All faults are repaired and every process is served: the chooser is not asked any more.
  [[nodiscard]] bool healed() const { return healed_; }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

 private:
  static constexpr auto kAnyNumber = static_cast<std::uint32_t>(-1);

  // Judges the last steps, and lets more happen until there is something to judge, at most
  // `most_steps`. False when the execution is over.
  bool go_on(fakezk::Chooser& chooser, std::uint32_t most_steps);
  // An exception in a task set of the code under test.
  void saw(std::exception_ptr exception) noexcept override;
  void judge();
  void mend();
  // The number of steps at which the execution must be looked at again.
  [[nodiscard]] std::uint32_t next_look(std::uint32_t most_steps) const;

  fakezk::World& world_;
  fakezk::World::ChainsEnd chains_end_{world_};
  Program& program_;
  const ExecutionLimits& limits_;
  std::uint32_t middle_;  // The step from which on faults are repaired.
  Verdict verdict_;
  fakezk::Calm calm_;
  std::size_t judged_ = 0;  // Entries of the history.
  bool judges_;             // Whether the program judges after each step.
  bool healed_ = false;
  bool ended_ = false;
  bool cleared_ = false;
};

inline std::uint32_t Execution::next_look(std::uint32_t most_steps) const {
  const std::uint32_t steps = world_.steps();
  if (judges_ || steps >= middle_) return steps + 1;
  return std::min(middle_ - steps, most_steps) + steps;
}

inline bool Execution::go_on(fakezk::Chooser& chooser, std::uint32_t most_steps) {
  const std::size_t committed = world_.server().history().size();
  if (judged_ != committed) {
    judged_ = committed;
    program_.committed();
  }
  if (judges_) judge();
  if (world_.task_failed()) [[unlikely]]
    report_exceptions(world_, verdict_);
  if (world_.steps() >= middle_) [[unlikely]]
    mend();
  if (verdict_.is_broken()) return false;
  ended_ = !world_.run(healed_ ? calm_ : chooser, verdict_.is_broken(), next_look(most_steps));
  return !ended_;
}

}  // namespace lockstep::search
