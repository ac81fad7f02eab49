#pragma once

#include <string>
#include <string_view>

#include "lockstep/lab/lock_under_test.h"
#include "scenarios/registry.h"

namespace lockstep::program {

// Moves the contenders of a scenario from the fake to another backend. Throws UsageError if this
// program has none.
using Backend = lab::LockUnderTest (*)(const lab::LockUnderTest& lock);

// A scenario, and the backend that its contenders use.
struct Hunted {
  // The end of a scenario's name in replay strings, if it runs on the production backend.
  static constexpr std::string_view kZookeeper = "+zookeeper";

  const scenarios::Scenario* scenario = nullptr;
  Backend backend = nullptr;  // Null: the fake.

  [[nodiscard]] lab::LockUnderTest lock() const {
    return backend ? backend(scenario->lock()) : scenario->lock();
  }
  // The name in replay strings.
  [[nodiscard]] std::string name() const {
    return std::string(scenario->name) + std::string(backend ? kZookeeper : "");
  }
};

// The scenario and the backend that a replay string names; no scenario if this program does not
// know the name.
[[nodiscard]] inline Hunted hunted_called(std::string_view name, Backend zookeeper) {
  const bool on_zookeeper = name.ends_with(Hunted::kZookeeper);
  if (on_zookeeper) name.remove_suffix(Hunted::kZookeeper.size());
  return {scenarios::find(name), on_zookeeper ? zookeeper : nullptr};
}

}  // namespace lockstep::program
