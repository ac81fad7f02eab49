// Comparing an output with the one that a document shows.
#include "printed.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace lockstep::readme {

TEST(PrintedTest, DotsStandForAnything) {
  EXPECT_TRUE(is_like("a 1 b\n", "a 1 b\n"));
  EXPECT_TRUE(is_like("a 1 b\n", "a ... b\n"));
  EXPECT_TRUE(is_like("a 1\n2 b", "...1...b"));
  EXPECT_TRUE(is_like("ab", "a...b"));
  EXPECT_FALSE(is_like("a 1 b\n", "a 2 b\n"));
  EXPECT_FALSE(is_like("a 1 b\nc", "a ... b\n"));
  EXPECT_FALSE(is_like("a", "a...b"));
}

TEST(PrintedTest, AnotherOutputIsAFailure) {
  EXPECT_FALSE(prints([] { std::fputs("something else", stdout); }, "readme_1.out"));
}

}  // namespace lockstep::readme
