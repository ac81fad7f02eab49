#include "lockstep/data.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

TEST(DataTest, NullIsNotEmpty) {
  EXPECT_TRUE(Data().is_null());
  EXPECT_FALSE(Data("").is_null());
  EXPECT_FALSE(Data() == Data(""));
  EXPECT_TRUE(Data() == Data());
  EXPECT_TRUE(Data("") == Data(std::string_view()));
  EXPECT_EQ(Data().view(), "");
}

TEST(DataTest, HoldsBytesOfAnyValue) {
  const std::string bytes("\0\xff\x80 x", 5);
  const Data data{std::string_view(bytes)};
  EXPECT_EQ(data.view(), bytes);
  EXPECT_TRUE(data == Data(Text(bytes)));
  EXPECT_FALSE(data == Data("x"));
}

TEST(DataTest, LiteralsAreData) {
  EXPECT_EQ(Data("revoke").view(), "revoke");
  EXPECT_TRUE(Data("revoke") == Data(std::string_view("revoke")));
}

}  // namespace
}  // namespace lockstep
