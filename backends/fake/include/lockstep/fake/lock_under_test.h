#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/fake/scenario.h"

namespace lockstep::fake {

// What a hunt hunts: who contends, by which rules, and what else is to hold.
//
//   LockUnderTest lock("tickets", &sell_tickets);
//   lock.check_at_end = &every_ticket_is_sold;
//
// `contend` is a coroutine; what it does is up to it, with acquire, release and whatever else it
// likes. Invariants of its own it reports with self.oracles().violated("user:name", "how").
class LockUnderTest {
 public:
  LockUnderTest(std::string scenario, LockScenario::Contend contender)
      : name(std::move(scenario)), contend(contender) {}

  std::string name;  // In reports and replay strings.
  LockScenario::Contend contend;
  fakezk::LockRules rules = fakezk::mutex_rules();  // Which grants exclude each other.
  LastContender last = LastContender::kPatient;
  LockScenario::CheckAtEnd check_at_end = nullptr;
  fakezk::ReplicaIndex replicas = 1;  // With more, the last server is slow.
  // What stands for it in the regression test that a report prints: the second argument of
  // replay_lock. If it is empty, contend_for with a class whose name is guessed.
  std::string source;

  [[nodiscard]] std::unique_ptr<fakezk::Program> program(ScenarioSize size) const {
    return std::make_unique<LockScenario>(contend, size, last, rules, check_at_end, replicas);
  }
};

// "my-mutex" as the name of a class: "MyMutex".
[[nodiscard]] std::string class_name(std::string_view scenario);

// The usual contender for a mutex that is awaited.
template <class Mutex>
[[nodiscard]] LockUnderTest lock_under_test(std::string name) {
  return LockUnderTest(std::move(name), &contend_for<Mutex>);
}

}  // namespace lockstep::fake
