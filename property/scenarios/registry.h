#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lockstep/fake/scenario.h"
#include "lockstep/fakezk/explore/program.h"

namespace lockstep::scenarios {

// A named program that a hunt can run: a recipe, or a deliberately broken twin of one.
struct Scenario {
  std::string_view name;
  std::string_view kind;     // "recipe", "textbook" or "zoo".
  std::string_view expects;  // "pass", or the oracle that the hunt must see fail.
  std::string_view summary;  // One sentence.
  fake::ScenarioSize size;   // What is run unless told otherwise.
  std::unique_ptr<fakezk::Program> (*make)(fake::ScenarioSize size);
};

// All of them, in the order in which they are listed.
[[nodiscard]] std::span<const Scenario> all();
// Null if there is none of that name.
[[nodiscard]] const Scenario* find(std::string_view name);

}  // namespace lockstep::scenarios
