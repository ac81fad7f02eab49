#include "registry.h"

#include <array>

#include "assembled_mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/protected_create.h"
#include "lockstep/turn.h"
#include "recipes.h"
#include "zoo_01.h"
#include "zoo_07.h"

namespace lockstep::scenarios {

namespace {

template <class Mutex>
std::unique_ptr<fakezk::Program> lock_scenario(fake::ScenarioSize size) {
  return std::make_unique<fake::LockScenario>(&fake::contend_for<Mutex>, size);
}

std::unique_ptr<fakezk::Program> fair_mutex(fake::ScenarioSize size) {
  return std::make_unique<fake::LockScenario>(&fake::contend_for<FairMutex>, size,
                                              fake::LastContender::kImpatient);
}

std::unique_ptr<fakezk::Program> read_write_lock(fake::ScenarioSize size) {
  return std::make_unique<fake::LockScenario>(&contend_for_read_write_lock, size,
                                              fake::LastContender::kImpatient,
                                              fakezk::read_write_rules());
}

using Zoo01 = AssembledMutex<&protected_create, &zoo_01::wait_for_turn>;
using Zoo07 = AssembledMutex<&zoo_07::create, &wait_for_turn>;

constexpr std::array kScenarios = {
    Scenario{"fair-mutex", "recipe", "pass",
             "The library's fair mutex; the last contender gives up after a second.",
             fake::ScenarioSize{3, 1}, &fair_mutex},
    Scenario{"read-write-lock", "recipe", "pass",
             "Readers and writers, with upgrades and downgrades; the last contender is impatient.",
             fake::ScenarioSize{3, 1}, &read_write_lock},
    Scenario{"zoo-01-wait-after-missing-predecessor", "zoo", "L1",
             "Waits for a predecessor that was deleted before the watch was registered.",
             fake::ScenarioSize{2, 1}, &lock_scenario<Zoo01>},
    Scenario{"zoo-07-create-without-guid", "zoo", "L1",
             "Repeats a create whose reply was lost, and waits behind its own first znode.",
             fake::ScenarioSize{2, 1}, &lock_scenario<Zoo07>},
};

}  // namespace

std::span<const Scenario> all() { return kScenarios; }

const Scenario* find(std::string_view name) {
  for (const Scenario& scenario : kScenarios) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

}  // namespace lockstep::scenarios
