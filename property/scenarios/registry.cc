#include "registry.h"

#include <array>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "recipes.h"

namespace lockstep::scenarios {

namespace {

std::unique_ptr<fakezk::Program> read_write_lock(fake::ScenarioSize size) {
  return std::make_unique<fake::LockScenario>(&contend_for_read_write_lock, size,
                                              fake::LastContender::kImpatient,
                                              fakezk::read_write_rules());
}

constexpr std::array kRecipes = {
    Scenario{"fair-mutex", "recipe", "pass",
             "The library's fair mutex; the last contender gives up after a second.",
             fake::ScenarioSize{3, 1}, &lock_scenario<FairMutex, fake::LastContender::kImpatient>},
    Scenario{"read-write-lock", "recipe", "pass",
             "Readers and writers, with upgrades and downgrades; the last contender is impatient.",
             fake::ScenarioSize{3, 1}, &read_write_lock},
};

}  // namespace

std::span<const Scenario> all() {
  static const std::vector<Scenario> scenarios = [] {
    std::vector<Scenario> joined;
    const std::span<const Scenario> recipes = kRecipes;
    for (const std::span<const Scenario> part : {recipes, textbook_locks(), zoo()}) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
  }();
  return scenarios;
}

const Scenario* find(std::string_view name) {
  for (const Scenario& scenario : all()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

}  // namespace lockstep::scenarios
