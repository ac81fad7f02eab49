#include "registry.h"

#include <array>

#include "assembled_mutex.h"
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

using Zoo01 = AssembledMutex<&protected_create, &zoo_01::wait_for_turn>;
using Zoo07 = AssembledMutex<&zoo_07::create, &wait_for_turn>;

constexpr std::array kScenarios = {
    Scenario{"fair-mutex", "recipe", "pass",
             "The library's fair mutex; the last contender gives up after a second.",
             fake::ScenarioSize{3, 1}, &fair_mutex},
    Scenario{"read-write-lock", "recipe", "pass",
             "Readers and writers, with upgrades and downgrades; the last contender is impatient.",
             fake::ScenarioSize{3, 1}, &read_write_lock},
    Scenario{"semaphore", "recipe", "pass", "A semaphore with two leases.",
             fake::ScenarioSize{3, 1}, &semaphore},
    Scenario{"semaphore-shared-capacity", "recipe", "pass",
             "A semaphore with one lease, of which its first holder makes two.",
             fake::ScenarioSize{3, 1}, &shared_semaphore},
    Scenario{"multi-lock", "recipe", "pass",
             "Two locks held as one, by clients that name them in opposite orders.",
             fake::ScenarioSize{3, 1}, &multi_lock},
    Scenario{"recursive-mutex", "recipe", "pass", "A mutex that its holder enters once more.",
             fake::ScenarioSize{3, 1}, &recursive_mutex},
    Scenario{"unfair-mutex", "recipe", "pass", "A mutex that is a single ephemeral znode.",
             fake::ScenarioSize{3, 1}, &unfair_mutex},
    Scenario{"revocable-mutex", "recipe", "pass",
             "A mutex whose holders are asked to give it up, and one of whom does not care.",
             fake::ScenarioSize{3, 1}, &revocable_mutex},
    Scenario{"leader-election", "recipe", "pass",
             "Candidates for leadership, one of whom watches first who leads.",
             fake::ScenarioSize{3, 1}, &leader_election},
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
