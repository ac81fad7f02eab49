#include "registry.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "recipes.h"

namespace lockstep::scenarios {

namespace {

constexpr Scenario recipe(std::string_view name, std::string_view summary,
                          lab::LockUnderTest (*describe)(),
                          lab::ScenarioSize size = lab::ScenarioSize{3, 1}) {
  return Scenario{name, "recipe", "pass", summary, size, describe};
}

constexpr std::array kRecipes = {
    recipe("fair-mutex", "The library's fair mutex; the last contender gives up after a second.",
           &fair_mutex),
    recipe("read-write-lock",
           "Readers and writers, with upgrades and downgrades; the last contender is impatient.",
           &read_write_lock),
    recipe("semaphore", "A semaphore with two leases.", &semaphore),
    recipe("semaphore-shared-capacity",
           "A semaphore with one lease; its first holder raises the limit to two.",
           &shared_semaphore),
    recipe("semaphore-several", "A semaphore with two leases; some clients want both at once.",
           &semaphore_several),
    recipe("multi-lock", "Two locks held as one by clients that name them in opposite orders.",
           &multi_lock),
    recipe("multi-lock-of-any-kind",
           "A mutex, a side of a read/write lock and leases, held as one.",
           &multi_lock_of_any_kind),
    recipe("recursive-mutex", "A mutex that its holder enters again.", &recursive_mutex),
    recipe("recursive-read-write-lock",
           "Readers and writers that enter again, also as the other kind.",
           &recursive_read_write_lock),
    recipe("unfair-mutex", "A mutex that is a single ephemeral znode.", &unfair_mutex),
    recipe("cohort-mutex",
           "Contenders of a client share a place and hand the grant on among themselves.",
           &cohort_mutex, lab::ScenarioSize{2, 1}),
    recipe("revocable-mutex",
           "A mutex whose holders are asked to give it up; one of them ignores that.",
           &revocable_mutex),
    recipe("revocable-read-write-lock", "Readers and writers that are asked to give the lock up.",
           &revocable_read_write_lock),
    recipe("leader-election", "Candidates for leadership, one of which first watches who leads.",
           &leader_election),
    recipe("leader-latch", "Candidates that queue up again whenever they stop leading.",
           &leader_latch),
    recipe("double-barrier", "Clients that begin together, and end together.", &double_barrier),
    recipe("fair-mutex-tried",
           "Contenders for the fair mutex, every second of which does not wait.",
           &fair_mutex_tried),
    recipe("unfair-mutex-tried",
           "Contenders for the unfair mutex, every second of which does not wait.",
           &unfair_mutex_tried),
    recipe("read-write-lock-tried",
           "Readers and writers that do not wait, or change a grant that was asked for.",
           &read_write_lock_tried),
    recipe("semaphore-tried",
           "A semaphore with two leases that can be revoked; some clients do not wait for them.",
           &semaphore_tried),
    recipe("semaphore-abandoned",
           "A semaphore with two leases; tasks that take them are destroyed.",
           &semaphore_abandoned),
    recipe("read-write-lock-abandoned",
           "Readers and writers whose tasks are destroyed, also during a change.",
           &read_write_lock_abandoned),
    recipe("recursive-read-write-lock-of-two-owners",
           "Two owners in each client that enter again, also as the other kind.",
           &recursive_read_write_lock_of_two_owners, lab::ScenarioSize{2, 1}),
    recipe("double-barrier-of-two",
           "A barrier that needs fewer clients than come, some of which give up.",
           &double_barrier_of_two),
    recipe("fair-mutex-on-three-servers",
           "The fair mutex on an ensemble, one server of which is slow.",
           &fair_mutex_on_three_servers),
    recipe("unfair-mutex-on-three-servers",
           "The unfair mutex on an ensemble, one server of which is slow.",
           &unfair_mutex_on_three_servers),
    recipe("read-write-lock-on-three-servers",
           "Readers and writers on an ensemble, one server of which is slow.",
           &read_write_lock_on_three_servers),
    recipe("fair-mutex-held-long",
           "The fair mutex, held for an instant, for seconds, or for a minute.",
           &fair_mutex_held_long),
    recipe("fair-mutex-valid-until",
           "Holders that rely on their session while it is proven, on an ensemble.",
           &fair_mutex_valid_until),
    recipe("fair-mutex-blocking",
           "The fair mutex in blocking code; the last contender gives up after a second.",
           &blocking_fair_mutex),
    recipe("read-write-lock-blocking", "Readers and writers in blocking code.",
           &blocking_read_write_lock),
    recipe("semaphore-blocking", "A semaphore with two leases, in blocking code.",
           &blocking_semaphore),
    recipe("semaphore-several-blocking",
           "A semaphore with two leases; some threads want both at once.",
           &blocking_semaphore_several),
    recipe("multi-lock-blocking",
           "A mutex, a side of a read/write lock and leases, held as one by blocking code.",
           &blocking_multi_lock),
    recipe("recursive-read-write-lock-blocking",
           "Readers and writers that enter again, also as the other kind, in blocking code.",
           &blocking_recursive_read_write_lock),
    recipe("cohort-mutex-blocking",
           "Threads of a client share a place and hand the grant on among themselves.",
           &blocking_cohort_mutex, lab::ScenarioSize{2, 1}),
    recipe("leader-latch-blocking",
           "Threads that wait until their candidate leads, and govern until the term is over.",
           &blocking_leader_latch),
    recipe("double-barrier-blocking", "Threads that begin together, and end together.",
           &blocking_double_barrier),
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
