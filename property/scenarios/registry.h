#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "lockstep/lab/hunt.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"

namespace lockstep::scenarios {

// A lock that a hunt can search by name: a recipe, or a deliberately broken twin of one.
struct Scenario {
  std::string_view name;
  std::string_view kind;             // "recipe", "textbook" or "zoo".
  std::string_view expects;          // "pass", or the oracle that the hunt must see fail.
  std::string_view summary;          // One sentence.
  lab::ScenarioSize size;            // The default size.
  lab::LockUnderTest (*describe)();  // Gets the scenario's name.
  // The bug's origin: issues of the projects that had it, or the tutorial.
  std::string_view reference = {};
  // The bug needs no race: the default schedule shows it too.
  bool calm_fails = false;
  // A hunt needs these to find the flaw. Only deep flaws in the tests need more than the defaults,
  // which `lockstep hunt` uses for every scenario.
  std::uint32_t fault_budget = lab::HuntSettings::kUsualFaults;
  std::uint64_t executions = lab::HuntSettings::kUsualExecutions;

  // The description for a hunt or a replay.
  [[nodiscard]] lab::LockUnderTest lock() const;
  [[nodiscard]] std::unique_ptr<search::Program> make(lab::ScenarioSize of) const {
    return lock().program(of);
  }
};

// Contenders that share only ZooKeeper.
[[nodiscard]] lab::LockUnderTest contention(lab::Contend contend,
                                            lab::LastContender last = lab::LastContender::kPatient,
                                            judge::LockRules rules = judge::mutex_rules(),
                                            fakezk::ReplicaIndex replicas = 1);

// The same with a check at the end.
template <lab::LockScenario::Contend kContend,
          lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
lab::LockUnderTest contenders() {
  lab::LockUnderTest lock = contention(kContend, kLast);
  lock.check_at_end = kCheck;
  return lock;
}

// Contenders that acquire and release one lock with this mutex.
template <class Mutex, lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
lab::LockUnderTest lock_scenario() {
  return contenders<&lab::contend_briefly_for<Mutex>, kLast, kCheck>();
}

// Adds broken locks to all(): a constant at the end of the source file that defines them. all()
// keeps the order within a file, and sorts files by kind and first name.
class Registered {
 public:
  Registered(std::initializer_list<Scenario> scenarios);
};

// The recipes, then all Registered scenarios.
[[nodiscard]] std::span<const Scenario> all();
// Null if no scenario has this name.
[[nodiscard]] const Scenario* find(std::string_view name);
// The same contenders as blocking code; null if there are none.
[[nodiscard]] const Scenario* find_blocking(std::string_view name);

}  // namespace lockstep::scenarios
