#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "lockstep/lab/lock_under_test.h"
#include "lockstep/search/exhaustive.h"
#include "program/exhaust.h"

// What the program says of executions that an exhaustive search has cut short. No scenario that it
// knows has any: every recipe and every broken lock comes to an end in any order of turns.
namespace lockstep::program {
namespace {

bool told = false;

// A asks for as long as B gets no turn.
Task<void> ask_until_told(lab::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
  if (self.client().name() == "B") told = true;
  while (!told) static_cast<void>(co_await (*session)->sync("/"));
}

Exhausted search_of_unfair() {
  lab::LockUnderTest lock("unfair", &ask_until_told);
  lock.at_start = [] { told = false; };
  search::ExhaustiveOptions options;
  options.executions = 500;
  Exhausted searched;
  searched.result = search::search_exhaustively(*lock.program({2, 1}), options);
  return searched;
}

TEST(CutShortTest, ThePersonIsToldWhatWasNotTried) {
  const Exhausted searched = search_of_unfair();
  Search what;
  what.size = {2, 1};
  const std::string text = searched.verdict(what);
  EXPECT_EQ(text.find("NOT exhausted: "), 0U) << text;
  EXPECT_NE(
      text.find(std::to_string(searched.result.cut) +
                " execution cut short: of what comes"
                " behind " +
                std::to_string(searched.result.deepest) + " steps only the calm order was tried"),
      text.npos)
      << text;
}

TEST(CutShortTest, SoAreScripts) {
  const Exhausted searched = search_of_unfair();
  ASSERT_GT(searched.result.cut, 0U);
  Search what;
  what.scenario = scenarios::find("fair-mutex");
  const nlohmann::ordered_json object = searched.as_json(what);
  EXPECT_EQ(object.at("exhausted"), false);
  EXPECT_EQ(object.at("cut_short"), searched.result.cut);
  EXPECT_EQ(object.at("cut_short_after"), searched.result.deepest);
}

// Once everything else is tried.
TEST(CutShortTest, ItIsWhatHasStoppedTheSearch) {
  Exhausted searched = search_of_unfair();
  searched.out_of_depth = true;
  Search what;
  what.scenario = scenarios::find("fair-mutex");
  EXPECT_EQ(searched.as_json(what).at("stopped_by"), "depth");
  EXPECT_NE(searched.verdict(what).find("; stopped by depth within fault budget 0 of 0"),
            std::string::npos)
      << searched.verdict(what);
}

}  // namespace
}  // namespace lockstep::program
