#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exhaustive/frontier.h"
#include "exhaustive/trace.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

// Checks two claims on which an exhaustive search relies: the program always takes the same steps
// under the same schedule, and two steps whose footprints do not conflict can be swapped.
class SelfCheck {
 public:
  // The choices of an execution.
  using Schedule = std::vector<fakezk::Deviation>;

  // For use between executions: it runs others in this world.
  SelfCheck(fakezk::World& world, Program& program, const ExecutionLimits& limits,
            fakezk::FootprintRecorder& recorder, const Trace& trace, const Frontier& frontier);

  // Repeats an execution; returns the difference, if any.
  std::optional<Violation> repeat(const Schedule& schedule, const Outcome& first);
  // Finds the step at which executions of this schedule diverge. The caller knows that they do.
  Violation where_runs_diverge(const Schedule& schedule);

  enum class Pair : std::uint8_t {
    kNone,              // No two adjacent steps are independent.
    kCommutes,          // The order made no difference.
    kDependent,         // The order made a difference: dependence() names the steps.
    kNondeterministic,  // Even the same order, run again, made a difference.
  };
  // Tries two adjacent independent steps of the trace in both orders; `number` says where to look.
  Pair check_a_pair(std::uint64_t number);
  [[nodiscard]] const std::string& dependence() const { return dependence_; }

 private:
  // The outcome of two steps: a state that can be observed, if both could happen and did not
  // conflict in that order.
  struct After {
    enum class Is : std::uint8_t { kState, kConflict, kImpossible };
    Is is;
    std::uint64_t state;
    bool operator==(const After&) const = default;
  };

  [[nodiscard]] bool swappable(std::size_t first) const;
  Pair check_pair(std::size_t first);
  After state_after(std::size_t first, bool swapped);
  Outcome run_again(const Schedule& schedule, fakezk::Tracer* tracer);

  fakezk::World& world_;
  Program& program_;
  const ExecutionLimits& limits_;
  fakezk::FootprintRecorder& recorder_;
  const Trace& trace_;
  const Frontier& frontier_;
  std::string dependence_;
};

}  // namespace lockstep::search
