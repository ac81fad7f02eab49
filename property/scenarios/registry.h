#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"

namespace lockstep::scenarios {

// A named program that a hunt can run: a recipe, or a deliberately broken twin of one.
struct Scenario {
  std::string_view name;
  std::string_view kind;     // "recipe", "textbook" or "zoo".
  std::string_view expects;  // "pass", or the oracle that the hunt must see fail.
  std::string_view summary;  // One sentence.
  lab::ScenarioSize size;    // What is run unless told otherwise.
  std::unique_ptr<search::Program> (*make)(lab::ScenarioSize size);
  // Where the bug is known from: issues of the projects that had it, or the tutorial.
  std::string_view reference = {};
  // The bug needs no race: also the calm schedule shows it.
  bool calm_fails = false;
};

// Contenders for one lock, each of which acquires and releases with that mutex.
template <class Mutex, lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
std::unique_ptr<search::Program> lock_scenario(lab::ScenarioSize size) {
  return std::make_unique<lab::LockScenario>(&lab::contend_briefly_for<Mutex>, size, kLast,
                                             judge::mutex_rules(), kCheck);
}

// Contenders that say themselves what they do.
template <lab::LockScenario::Contend kContend,
          lab::LastContender kLast = lab::LastContender::kPatient,
          lab::LockScenario::CheckAtEnd kCheck = nullptr>
std::unique_ptr<search::Program> contenders(lab::ScenarioSize size) {
  return std::make_unique<lab::LockScenario>(kContend, size, kLast, judge::mutex_rules(), kCheck);
}

// The parts of all() that have a source file of their own.
[[nodiscard]] std::span<const Scenario> textbook_locks();
[[nodiscard]] std::span<const Scenario> zoo();

// All of them, in the order in which they are listed.
[[nodiscard]] std::span<const Scenario> all();
// Null if there is none of that name.
[[nodiscard]] const Scenario* find(std::string_view name);
// The same contenders as code that blocks; null if nobody has written them so.
[[nodiscard]] const Scenario* find_blocking(std::string_view name);

}  // namespace lockstep::scenarios
