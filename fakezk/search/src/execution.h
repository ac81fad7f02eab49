#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "lockstep/internal/exception_witness.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

class Execution;

// Lets a search watch an execution and break it off.
class ExecutionWatcher {
 public:
  // Called after each step; false breaks the execution off.
  virtual bool goes_on() = 0;
  // Called after the last step. False keeps the program from judging the end, if it is not a real
  // one.
  virtual bool is_judged(const Execution& execution) = 0;

 protected:
  ~ExecutionWatcher() = default;
};

// One execution of a program, step by step, in a world that nothing else uses meanwhile. Decides
// when it is judged and when faults are repaired. All kinds of searches use it, so that all of them
// judge a schedule alike.
class Execution : private internal::ExceptionWitness {
 public:
  Execution(fakezk::World& world, Program& program, const ExecutionLimits& limits)
      : world_(world),
        program_(program),
        limits_(limits),
        most_steps_(program.most_steps(limits.steps)),
        middle_(most_steps_ / 2),
        judges_(program.judges_each_step()) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution() override { clear_away(); }

  // Runs the execution from its start until a guarantee is broken, nothing can happen any more or
  // the watcher breaks it off. The tracer sees only the searched part.
  void run(fakezk::Chooser& chooser, fakezk::Tracer* tracer, ExecutionWatcher* watcher = nullptr);
  // Only prepares the world and the program, for a caller who then lets the world take its steps.
  void start(fakezk::Tracer* tracer);
  // Ends the running tasks, and makes the program drop everything that belongs to the world.
  // Violations that destructors report on the way count, too, so the verdict is complete only
  // afterwards. The destructor does this at the latest.
  void clear_away();
  // Whether nothing can happen any more.
  [[nodiscard]] bool ended() const { return ended_; }
  // Whether all faults are repaired and every process is served: then the chooser is not asked.
  [[nodiscard]] bool healed() const { return healed_; }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

 private:
  static constexpr auto kAnyNumber = static_cast<std::uint32_t>(-1);

  // Judges the last steps, then takes at most `most_steps` more until there is something to judge.
  // False when the execution is over.
  bool go_on(fakezk::Chooser& chooser, std::uint32_t most_steps);
  // Reports an exception in a task set of the code under test.
  void saw(std::exception_ptr exception) noexcept override;
  void judge();
  void heal();
  // The step at which the execution must be looked at again.
  [[nodiscard]] std::uint32_t next_look(std::uint32_t most_steps) const;

  fakezk::World& world_;
  fakezk::World::ChainsEnd chains_end_{world_};
  Program& program_;
  const ExecutionLimits& limits_;
  std::uint32_t most_steps_;
  std::uint32_t middle_;  // Faults are repaired at this step.
  Verdict verdict_;
  fakezk::Calm calm_;
  std::size_t judged_ = 0;  // Judged entries of the history.
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
    heal();
  if (verdict_.is_broken()) return false;
  ended_ = !world_.run(healed_ ? calm_ : chooser, verdict_.is_broken(), next_look(most_steps));
  return !ended_;
}

}  // namespace lockstep::search
