#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/search/detours.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

// The outcome of a trial, and the choices that were made in it.
struct Trial {
  Outcome outcome;
  std::vector<fakezk::Deviation> deviations;
  std::vector<Detour> detours = {};  // The same choices, if they were noted.
};

// Runs a schedule of deviations and detours in this process, and notes its detours.
[[nodiscard]] Trial try_detours(fakezk::World& world, Program& program,
                                const ExecutionLimits& limits,
                                const std::vector<fakezk::Deviation>& deviations,
                                const std::vector<Detour>& detours);

// A short hunt in one scene: executions [first, first + executions) of a seed, until one of them
// breaks `oracle`.
struct ShortHunt {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;  // It also ends after so many.
  std::string oracle;
};
struct Caught {
  std::optional<Trial> trial;  // None if no execution breaks the oracle.
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
};

// Tries schedules of a program in several sizes, while a simpler failure is looked for.
class Trials {
 public:
  Trials() = default;
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  virtual ~Trials() = default;

  virtual Trial run(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
                    const std::vector<fakezk::Deviation>& deviations) = 0;
  // Runs a schedule of deviations and detours, and notes its detours. By default there are none.
  virtual Trial run_detours(std::uint32_t clients, std::uint32_t rounds,
                            const ExecutionLimits& limits,
                            const std::vector<fakezk::Deviation>& deviations,
                            const std::vector<Detour>&) {
    return run(clients, rounds, limits, deviations);
  }
  virtual Caught hunt(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
                      const ShortHunt& what) = 0;
  // The faults that strike in a schedule, in order; none if the trials cannot tell.
  virtual std::vector<fakezk::Event> faults(std::uint32_t clients, std::uint32_t rounds,
                                            const ExecutionLimits& limits,
                                            const std::vector<fakezk::Deviation>& deviations) = 0;
};

}  // namespace lockstep::search
