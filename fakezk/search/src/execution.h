#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "lockstep/search/program.h"

namespace lockstep::search {

// One execution of a program in a world that it has been reset for, step by step: what is judged
// when, and when everything is mended. The same for every kind of search, so that a schedule that
// one of them has found is judged alike by all others.
class Execution {
 public:
  Execution(fakezk::World& world, Program& program, const ExecutionLimits& limits)
      : world_(world),
        program_(program),
        limits_(limits),
        middle_(limits.steps / 2),
        judges_(program.judges_each_step()) {}

  // Prepares the program. A tracer sees what comes behind it.
  void start(fakezk::Tracer* tracer);
  // Judges what has become of the last steps, and lets more happen until there is something to
  // judge, at most so many. False when it is over: a guarantee is broken, or nothing can happen any
  // more.
  bool go_on(fakezk::Chooser& chooser, std::uint32_t most_steps = kAnyNumber);
  // Ends what still runs and lets the program go of what belongs to the world. What destructors
  // report then counts as well, so that only afterwards the verdict is complete.
  void clear_away();
  // Nothing can happen any more.
  [[nodiscard]] bool ended() const { return ended_; }
  // Everything is mended and everybody is served: whoever chooses is not asked any more.
  [[nodiscard]] bool healed() const { return healed_; }
  [[nodiscard]] Verdict& verdict() { return verdict_; }

 private:
  static constexpr auto kAnyNumber = static_cast<std::uint32_t>(-1);

  void judge();
  void mend();
  // How many steps there have been when somebody must look at it again.
  [[nodiscard]] std::uint32_t next_look(std::uint32_t most_steps) const;

  fakezk::World& world_;
  fakezk::World::ChainsEnd chains_end_{world_};
  Program& program_;
  const ExecutionLimits& limits_;
  std::uint32_t middle_;  // The step from which on everything is mended.
  Verdict verdict_;
  fakezk::Calm calm_;
  std::size_t judged_ = 0;  // Of the history.
  bool judges_;             // After each step.
  bool healed_ = false;
  bool ended_ = false;
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

// What a program or a judge has thrown, as a violation of the oracle "crash".
void report_thrown(std::exception_ptr thrown, const fakezk::World& world, Verdict& verdict);

}  // namespace lockstep::search
