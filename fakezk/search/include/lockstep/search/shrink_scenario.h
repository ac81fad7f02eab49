#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lockstep/search/shrink.h"

namespace lockstep::search {

// A program that can be made in several sizes.
struct Scene {
  std::string name;
  std::uint32_t clients = 1;
  std::uint32_t rounds = 1;
  std::function<std::unique_ptr<Program>(std::uint32_t clients, std::uint32_t rounds)> make;
  // A smaller scenario would show a different failure.
  std::uint32_t least_clients = 1;
  std::uint32_t least_rounds = 1;

  // Runs its executions; null: they run in this process.
  Trials* trials = nullptr;

  [[nodiscard]] std::unique_ptr<Program> program() const { return make(clients, rounds); }
};

// The smallest scene found in which a guarantee breaks, with the schedule that breaks it there. Its
// kinds of faults are those that have struck.
struct ShrunkScene {
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  ExecutionLimits limits;
  Shrunk schedule;
};

// Shrinks the schedule, then the scene around it (a large one first, by short hunts in small ones):
// fewer clients, fewer rounds, fewer kinds of faults. A smaller scene is accepted if the same
// guarantee breaks in it with no more deviations and no more faults. If the schedule itself does
// not show that, a short hunt may. Half of the budget is for the schedule. Finally, the guarantee
// is hunted once more, under the kinds of faults that have struck, from the smallest scene up to
// that one: a failure that was found first need not be the one with the fewest steps. A smaller
// scene that shows it in half of the steps may have two more deviations. A scene of fewer clients
// that always breaks the guarantee is not accepted, unless the larger one always does.
ShrunkScene shrink_scene(const Scene& scene, const ExecutionLimits& limits,
                         const std::string& oracle,
                         const std::vector<fakezk::Deviation>& deviations,
                         ShrinkBudget budget = {60'000, 4'500'000});

}  // namespace lockstep::search
