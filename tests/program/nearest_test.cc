#include "program/nearest.h"

#include <gtest/gtest.h>

#include <array>

#include "program/scenario_named.h"
#include "program/usage.h"

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"fair-mutex", "unfair-mutex",    "semaphore",
                                                    "multi-lock", "leader-election", "hunt"};

std::vector<std::string_view> near(std::string_view word) { return program::nearest(word, kNames); }

TEST(NearestTest, ASlipIsFound) {
  const std::vector<std::string_view> mutex = {"fair-mutex"};
  EXPECT_EQ(near("fair-mutx"), mutex);
  EXPECT_EQ(near("fair-muttex"), mutex);
  EXPECT_EQ(near("fair_mutex"), mutex);
  EXPECT_EQ(near("fari-mutex"), mutex);
  EXPECT_EQ(near("hnut"), std::vector<std::string_view>{"hunt"}) << "swapped: one slip";
  EXPECT_EQ(near("leaderelection"), std::vector<std::string_view>{"leader-election"});
}

TEST(NearestTest, TheNearestComesFirst) {
  const std::vector<std::string_view> both = {"unfair-mutex", "fair-mutex"};
  EXPECT_EQ(near("unfair-mutx"), std::vector<std::string_view>{"unfair-mutex"});
  EXPECT_EQ(near("nfair-mutex"), (std::vector<std::string_view>{"fair-mutex", "unfair-mutex"}));
  EXPECT_EQ(near("unfar-mutex").front(), both.front());
  EXPECT_EQ(near("unair-mutex"), both) << "one slip, and two";
}

TEST(NearestTest, APrefixOrAPartIsFound) {
  EXPECT_EQ(near("sem"), std::vector<std::string_view>{"semaphore"});
  EXPECT_EQ(near("mutex"), (std::vector<std::string_view>{"fair-mutex", "unfair-mutex"}));
}

TEST(NearestTest, DistantNamesAreNotSuggested) {
  EXPECT_TRUE(near("etcd").empty());
  EXPECT_TRUE(near("x").empty());
  EXPECT_TRUE(near("lock-mutex").empty()) << "four slips";
  EXPECT_TRUE(near("").empty());
  EXPECT_EQ(program::did_you_mean("etcd", kNames), "");
  EXPECT_EQ(program::did_you_mean("mutex", kNames),
            "; did you mean 'fair-mutex' or 'unfair-mutex'?");
}

TEST(NearestTest, AScenarioIsFoundByTheBeginningOfItsName) {
  EXPECT_EQ(program::scenario_named("zoo-01").name, "zoo-01-wait-after-missing-predecessor");
  EXPECT_EQ(program::scenario_named("fair-mutex").name, "fair-mutex") << "though others begin so";
  EXPECT_THROW(static_cast<void>(program::scenario_named("zoo-0")), program::UsageError);
  EXPECT_THROW(static_cast<void>(program::scenario_named("")), program::UsageError);
}

}  // namespace
}  // namespace lockstep
