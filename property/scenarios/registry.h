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
  lab::ScenarioSize size;            // the default size
  lab::LockUnderTest (*describe)();  // Its name is the scenario's.
  // The bug's origin: issues of the projects that had it, or the tutorial.
  std::string_view reference = {};
  // The bug needs no race: the default schedule shows it too.
  bool calm_fails = false;
  // A hunt needs these to find the flaw. More than the defaults, which are the same for all
  // scenarios of `lockstep hunt`, only for the deep flaws of the tests.
  std::uint32_t fault_budget = lab::HuntSettings::kUsualFaults;
  std::uint64_t executions = lab::HuntSettings::kUsualExecutions;

  // The description for a hunt or a replay.
  [[nodiscard]] lab::LockUnderTest lock() const;
  [[nodiscard]] std::unique_ptr<search::Program> make(lab::ScenarioSize of) const {
    return lock().program(of);
  }
};

// Contenders that share nothing but ZooKeeper.
[[nodiscard]] lab::LockUnderTest contention(lab::Contend contend,
                                            lab::LastContender last = lab::LastContender::kPatient,
                                            judge::LockRules rules = judge::mutex_rules(),
                                            fakezk::ReplicaIndex replicas = 1);

// The same with a check for the end.
template <lab::LockScenario::Contend kContend,
          lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
lab::LockUnderTest contenders() {
  lab::LockUnderTest lock = contention(kContend, kLast);
  lock.check_at_end = kCheck;
  return lock;
}

// Contenders for one lock, each of which acquires and releases with that mutex.
template <class Mutex, lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
lab::LockUnderTest lock_scenario() {
  return contenders<&lab::contend_briefly_for<Mutex>, kLast, kCheck>();
}

// Adds broken locks to all(): a constant at the end of the source file that has them. Their order
// is that of the list; other files come before or after by kind and first name.
class Registered {
 public:
  Registered(std::initializer_list<Scenario> scenarios);
};

// The recipes, then whatever is Registered.
[[nodiscard]] std::span<const Scenario> all();
// Null if there is none of that name.
[[nodiscard]] const Scenario* find(std::string_view name);
// The same contenders as blocking code; null if there are none.
[[nodiscard]] const Scenario* find_blocking(std::string_view name);

}  // namespace lockstep::scenarios
