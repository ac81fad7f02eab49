// Comparison of two logs, and the report of their difference.
#include "differential/difference.h"

#include <gtest/gtest.h>

namespace lockstep::differential {
namespace {

Log one_lane(std::vector<std::string> lines) {
  Log log(1);
  log[0].title = "session s0";
  log[0].lines = std::move(lines);
  return log;
}

TEST(DifferenceTest, EqualLogsHaveNoDifference) {
  EXPECT_FALSE(first_difference({}, {}));
  EXPECT_FALSE(first_difference(one_lane({"a", "b"}), one_lane({"a", "b"})));
}

TEST(DifferenceTest, IsTheFirstLineThatDiffers) {
  const auto found = first_difference(one_lane({"a", "b", "c"}), one_lane({"a", "x", "y"}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lane, 0U);
  EXPECT_EQ(found->line, 1U);
}

TEST(DifferenceTest, AMissingLineDiffers) {
  const auto found = first_difference(one_lane({"a", "b"}), one_lane({"a"}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 1U);
}

TEST(DifferenceTest, AMissingLaneDiffers) {
  Log two = one_lane({"a"});
  two.push_back(Lane{"the znodes at the end", {"b"}});
  const auto found = first_difference(one_lane({"a"}), two);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lane, 1U);
}

TEST(DifferenceTest, IsShownWithTheFirstLineMarked) {
  EXPECT_EQ(
      side_by_side(one_lane({"same", "b", "c"}), "fake", one_lane({"same", "x"}), "zookeeper"),
      "session s0:\n"
      "      same\n"
      "  >>> fake      | b\n"
      "  >>> zookeeper | x\n"
      "    ! fake      | c\n"
      "    ! zookeeper | (nothing)\n");
}

TEST(DifferenceTest, ALongLaneWithoutADifferenceIsNotShown) {
  const Log log = one_lane(std::vector<std::string>(40, "same"));
  EXPECT_EQ(side_by_side(log, "a", log, "b"), "session s0:\n      the same on both sides\n");
}

}  // namespace
}  // namespace lockstep::differential
