#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/chronicle.h"
#include "lockstep/search/trials.h"
#include "process/ends.h"
#include "process/worker.h"

namespace lockstep::lab {

// How a short hunt runs its executions: in one child process, or in children like single trials.
enum class Hunts : std::uint8_t { kInOneChild, kInChildren };

// Runs trials in child processes, so that code under test can end its process without harm. Such an
// end is the violation "crash". A child that takes too long is killed, and nothing is violated.
// Stays on one thread.
class ForkedTrials final : public search::Trials {
 public:
  // Makes a program with last words.
  using Make = std::function<std::unique_ptr<search::Program>(ScenarioSize)>;
  // One child runs that many trials. All trials together take at most that time; trials after it
  // violate nothing. A hunt in one child sees no violation except the end of that child.
  ForkedTrials(Make make, Hunts hunts, std::uint32_t trials_per_fork, std::chrono::seconds most);

  search::Trial run(std::uint32_t clients, std::uint32_t rounds,
                    const search::ExecutionLimits& limits,
                    const std::vector<fakezk::Deviation>& deviations) override;
  search::Trial run_detours(std::uint32_t clients, std::uint32_t rounds,
                            const search::ExecutionLimits& limits,
                            const std::vector<fakezk::Deviation>& deviations,
                            const std::vector<search::Detour>& detours) override;
  search::Caught hunt(std::uint32_t clients, std::uint32_t rounds,
                      const search::ExecutionLimits& limits,
                      const search::ShortHunt& what) override;
  // Lists none.
  std::vector<fakezk::Event> faults(std::uint32_t, std::uint32_t, const search::ExecutionLimits&,
                                    const std::vector<fakezk::Deviation>&) override {
    return {};
  }

  // Writes down a schedule that ends its process in that step, up to the end; an empty chronicle
  // if the machine has no process for it.
  [[nodiscard]] search::Chronicle chronicle(ScenarioSize size,
                                            const search::ExecutionLimits& limits,
                                            const std::vector<fakezk::Deviation>& deviations,
                                            std::uint32_t last_step);

 private:
  [[nodiscard]] bool time_is_up() const;
  search::Caught hunt_in_one_child(ScenarioSize size, const search::ExecutionLimits& limits,
                                   const search::ShortHunt& what);
  search::Caught hunt_in_children(ScenarioSize size, const search::ExecutionLimits& limits,
                                  const search::ShortHunt& what);
  search::Trial run(ScenarioSize size, const search::ExecutionLimits& limits, const Order& order);
  // Makes a program and its world, for all children with these limits.
  void use(ScenarioSize size, const search::ExecutionLimits& limits);

  Make make_;
  Hunts hunts_;
  std::uint32_t trials_per_fork_;
  std::chrono::steady_clock::time_point give_up_at_;
  ScenarioSize size_{0, 0};  // The program's size.
  std::unique_ptr<search::Program> program_;
  std::unique_ptr<fakezk::World> world_;
  search::ExecutionLimits limits_;
  Worker worker_;
};

}  // namespace lockstep::lab
