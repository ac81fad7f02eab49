#include "registry.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "recipes.h"

namespace lockstep::scenarios {

namespace {

constexpr std::array kRecipes = {
    Scenario{"fair-mutex", "recipe", "pass",
             "The library's fair mutex; the last contender gives up after a second.",
             lab::ScenarioSize{3, 1}, &fair_mutex},
    Scenario{"read-write-lock", "recipe", "pass",
             "Readers and writers, with upgrades and downgrades; the last contender is impatient.",
             lab::ScenarioSize{3, 1}, &read_write_lock},
    Scenario{"semaphore", "recipe", "pass", "A semaphore with two leases.", lab::ScenarioSize{3, 1},
             &semaphore},
    Scenario{"semaphore-shared-capacity", "recipe", "pass",
             "A semaphore with one lease; its first holder raises the limit to two.",
             lab::ScenarioSize{3, 1}, &shared_semaphore},
    Scenario{"semaphore-several", "recipe", "pass",
             "A semaphore with two leases; some clients want both at once.",
             lab::ScenarioSize{3, 1}, &semaphore_several},
    Scenario{"multi-lock", "recipe", "pass",
             "Two locks held as one by clients that name them in opposite orders.",
             lab::ScenarioSize{3, 1}, &multi_lock},
    Scenario{"multi-lock-of-any-kind", "recipe", "pass",
             "A mutex, a side of a read/write lock and leases, held as one.",
             lab::ScenarioSize{3, 1}, &multi_lock_of_any_kind},
    Scenario{"recursive-mutex", "recipe", "pass", "A mutex that its holder enters again.",
             lab::ScenarioSize{3, 1}, &recursive_mutex},
    Scenario{"recursive-read-write-lock", "recipe", "pass",
             "Readers and writers that enter again, also as the other kind.",
             lab::ScenarioSize{3, 1}, &recursive_read_write_lock},
    Scenario{"unfair-mutex", "recipe", "pass", "A mutex that is a single ephemeral znode.",
             lab::ScenarioSize{3, 1}, &unfair_mutex},
    Scenario{"cohort-mutex", "recipe", "pass",
             "Contenders of a client share a place and hand the grant on among themselves.",
             lab::ScenarioSize{2, 1}, &cohort_mutex},
    Scenario{"revocable-mutex", "recipe", "pass",
             "A mutex whose holders are asked to give it up; one of them ignores that.",
             lab::ScenarioSize{3, 1}, &revocable_mutex},
    Scenario{"revocable-read-write-lock", "recipe", "pass",
             "Readers and writers that are asked to give the lock up.", lab::ScenarioSize{3, 1},
             &revocable_read_write_lock},
    Scenario{"leader-election", "recipe", "pass",
             "Candidates for leadership, one of which first watches who leads.",
             lab::ScenarioSize{3, 1}, &leader_election},
    Scenario{"leader-latch", "recipe", "pass",
             "Candidates that queue up again whenever they stop leading.", lab::ScenarioSize{3, 1},
             &leader_latch},
    Scenario{"double-barrier", "recipe", "pass", "Clients that begin together, and end together.",
             lab::ScenarioSize{3, 1}, &double_barrier},
    Scenario{"fair-mutex-on-three-servers", "recipe", "pass",
             "The fair mutex on an ensemble, one server of which is slow.", lab::ScenarioSize{3, 1},
             &fair_mutex_on_three_servers},
    Scenario{"unfair-mutex-on-three-servers", "recipe", "pass",
             "The unfair mutex on an ensemble, one server of which is slow.",
             lab::ScenarioSize{3, 1}, &unfair_mutex_on_three_servers},
    Scenario{"read-write-lock-on-three-servers", "recipe", "pass",
             "Readers and writers on an ensemble, one server of which is slow.",
             lab::ScenarioSize{3, 1}, &read_write_lock_on_three_servers},
    Scenario{"fair-mutex-held-long", "recipe", "pass",
             "The fair mutex, held for an instant, for seconds, or for a minute.",
             lab::ScenarioSize{3, 1}, &fair_mutex_held_long},
    Scenario{"fair-mutex-valid-until", "recipe", "pass",
             "Holders that rely on their session while it is proven, on an ensemble.",
             lab::ScenarioSize{3, 1}, &fair_mutex_valid_until},
    Scenario{"fair-mutex-blocking", "recipe", "pass",
             "The fair mutex in blocking code; the last contender gives up after a second.",
             lab::ScenarioSize{3, 1}, &blocking_fair_mutex},
    Scenario{"read-write-lock-blocking", "recipe", "pass", "Readers and writers in blocking code.",
             lab::ScenarioSize{3, 1}, &blocking_read_write_lock},
    Scenario{"semaphore-blocking", "recipe", "pass",
             "A semaphore with two leases, in blocking code.", lab::ScenarioSize{3, 1},
             &blocking_semaphore},
    Scenario{"semaphore-several-blocking", "recipe", "pass",
             "A semaphore with two leases; some threads want both at once.",
             lab::ScenarioSize{3, 1}, &blocking_semaphore_several},
    Scenario{"multi-lock-blocking", "recipe", "pass",
             "A mutex, a side of a read/write lock and leases, held as one by blocking code.",
             lab::ScenarioSize{3, 1}, &blocking_multi_lock},
    Scenario{"recursive-read-write-lock-blocking", "recipe", "pass",
             "Readers and writers that enter again, also as the other kind, in blocking code.",
             lab::ScenarioSize{3, 1}, &blocking_recursive_read_write_lock},
    Scenario{"cohort-mutex-blocking", "recipe", "pass",
             "Threads of a client share a place and hand the grant on among themselves.",
             lab::ScenarioSize{2, 1}, &blocking_cohort_mutex},
    Scenario{"leader-latch-blocking", "recipe", "pass",
             "Threads that wait until their candidate leads, and govern until the term is over.",
             lab::ScenarioSize{3, 1}, &blocking_leader_latch},
    Scenario{"double-barrier-blocking", "recipe", "pass",
             "Threads that begin together, and end together.", lab::ScenarioSize{3, 1},
             &blocking_double_barrier},
};

constexpr std::string_view kBlocking = "-blocking";

// One list per file. Function-local, because files register before main() in any order.
std::vector<std::vector<Scenario>>& registered() {
  static std::vector<std::vector<Scenario>> files;
  return files;
}

}  // namespace

lab::LockUnderTest Scenario::lock() const {
  lab::LockUnderTest described = describe();
  described.name = name;
  return described;
}

lab::LockUnderTest contention(lab::Contend contend, lab::LastContender last, judge::LockRules rules,
                              fakezk::ReplicaIndex replicas) {
  lab::LockUnderTest lock({}, std::move(contend));
  lock.last = last;
  lock.rules = std::move(rules);
  lock.replicas = replicas;
  lock.isolated = true;
  return lock;
}

Registered::Registered(std::initializer_list<Scenario> scenarios) {
  registered().emplace_back(scenarios);
}

std::span<const Scenario> all() {
  static const std::vector<Scenario> scenarios = [] {
    std::vector<Scenario> listed(kRecipes.begin(), kRecipes.end());
    std::ranges::sort(registered(), {}, [](const std::vector<Scenario>& file) {
      return std::pair(file.front().kind, file.front().name);
    });
    for (const std::vector<Scenario>& file : registered()) {
      listed.insert(listed.end(), file.begin(), file.end());
    }
    return listed;
  }();
  return scenarios;
}

const Scenario* find(std::string_view name) {
  for (const Scenario& scenario : all()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

const Scenario* find_blocking(std::string_view name) {
  for (const Scenario& scenario : all()) {
    std::string_view of = scenario.name;
    if (!of.ends_with(kBlocking)) continue;
    if (of == name) return &scenario;
    of.remove_suffix(kBlocking.size());
    if (of == name) return &scenario;
  }
  return nullptr;
}

}  // namespace lockstep::scenarios
