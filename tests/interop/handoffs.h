#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "interop/fleet.h"
#include "lockstep/when_all.h"
#include "support/lab.h"

namespace lockstep::interop {

// A contender of ours that takes and releases a lock that many times; `take` calls the recipe.
template <class Recipe, class Take>
Task<void> pass_through(std::shared_ptr<Session> session, Recipe recipe, Take take, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    HeldLock held = support::must(co_await take(recipe), "acquire");
    co_await enter(*session, held);
    co_await leave(*session, held);
    static_cast<void>(co_await held.release());
  }
}

// Our tasks and one contender of the other library for each recipe contend until all have had their
// rounds.
inline Task<void> contend(Fleet& fleet, std::vector<std::string> recipes, int rounds,
                          std::vector<Task<void>> ours) {
  std::vector<Other> others;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    others.emplace_back(fleet, static_cast<int>(i) + 1);
    static_cast<void>(co_await others.back().open());
  }
  const std::string what = "rounds " + std::to_string(rounds) + " " + Fleet::witness().string();
  for (std::size_t i = 0; i < recipes.size(); ++i) others[i].tell(what + " " + recipes[i]);
  co_await when_all(std::move(ours));
  for (const Other& other : others) {
    const std::string answer = co_await other.answer();
    if (answer != "done") throw std::runtime_error(answer);
  }
}

// Expects that many critical sections in the fleet's history, and no violation.
inline void expect_sound(const Fleet& fleet, std::size_t entries, std::size_t leases = 1) {
  const Verdict verdict = fleet.verdict(leases);
  EXPECT_EQ(verdict.entries, entries);
  EXPECT_THAT(verdict.violations, testing::IsEmpty());
}

}  // namespace lockstep::interop
