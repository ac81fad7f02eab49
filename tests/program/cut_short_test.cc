#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "lockstep/lab/lock_under_test.h"
#include "program/exhaust.h"

// The program reports executions that an exhaustive search has cut short. No scenario has any:
// every recipe and every broken lock ends under any order of turns.
namespace lockstep::program {
namespace {

bool told = false;

// A repeats its request until B has had a turn.
Task<void> ask_until_b_runs(lab::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
  if (self.client().name() == "B") told = true;
  while (!told) static_cast<void>(co_await (*session)->sync("/"));
}

lab::HuntSettings settings() {
  return {.size = {2, 1}, .faults = {}, .strategy = std::string(lab::HuntSettings::kExhaustive)};
}

HuntCommand unfair() { return {scenarios::find("fair-mutex"), settings()}; }

lab::HuntReport search_of_unfair() {
  lab::LockUnderTest lock("unfair", &ask_until_b_runs);
  lock.at_start = [] { told = false; };
  return lab::hunt_lock(lock, settings());
}

TEST(CutShortTest, TheVerdictSaysWhatWasNotTried) {
  const lab::HuntReport report = search_of_unfair();
  const std::string text = report.verdict();
  EXPECT_EQ(text.find("NOT exhausted: "), 0U) << text;
  EXPECT_NE(text.find(std::to_string(report.exhaustive->cut) + " execution cut short: after " +
                      std::to_string(report.exhaustive->deepest) +
                      " steps only the default order was tried"),
            text.npos)
      << text;
}

TEST(CutShortTest, TheJsonSaysWhatWasNotTried) {
  const lab::HuntReport report = search_of_unfair();
  ASSERT_GT(report.exhaustive->cut, 0U);
  const nlohmann::ordered_json object = exhaustive_as_json(unfair(), report);
  EXPECT_EQ(object.at("exhausted"), false);
  EXPECT_EQ(object.at("cut_short"), report.exhaustive->cut);
  EXPECT_EQ(object.at("cut_short_after"), report.exhaustive->deepest);
}

// The search reaches that depth after it has tried everything else.
TEST(CutShortTest, TheDepthHasStoppedTheSearch) {
  const lab::HuntReport report = search_of_unfair();
  EXPECT_EQ(exhaustive_as_json(unfair(), report).at("stopped_by"), "depth");
  EXPECT_NE(report.verdict().find("; stopped by depth within fault budget 0 of 0"),
            std::string::npos)
      << report.verdict();
}

}  // namespace
}  // namespace lockstep::program
