#include "lockstep/internal/short_list.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace lockstep::internal {
namespace {

using Names = ShortList<std::string_view, 2>;

std::vector<std::string_view> all_of(const Names& names) { return {names.begin(), names.end()}; }

// Whether the elements lie in the list object itself.
bool lie_within(const Names& names) {
  const auto* const list = reinterpret_cast<const char*>(&names);
  const auto* const first = reinterpret_cast<const char*>(names.data());
  return first >= list && first < list + sizeof(names);
}

TEST(ShortListTest, BeginsEmpty) {
  const Names names;
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.begin(), names.end());
}

TEST(ShortListTest, HoldsAFewElementsInPlace) {
  Names names;
  names.push_back("a");
  names.push_back("b");
  EXPECT_EQ(all_of(names), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_TRUE(lie_within(names));
}

TEST(ShortListTest, ManyKeepTheirOrder) {
  Names names;
  for (const std::string_view name : {"a", "b", "c", "d", "e"}) names.push_back(name);
  EXPECT_EQ(all_of(names), (std::vector<std::string_view>{"a", "b", "c", "d", "e"}));
  EXPECT_FALSE(lie_within(names));
  names[4] = "f";
  EXPECT_EQ(all_of(names).back(), "f");
}

TEST(ShortListTest, IsFilledFromAnotherList) {
  const std::vector<int> lengths = {1, 0, 2};
  Names names;
  names.fill(lengths, [](int length) {
    return std::string_view("ab").substr(0, static_cast<std::size_t>(length));
  });
  EXPECT_EQ(all_of(names), (std::vector<std::string_view>{"a", "", "ab"}));
}

TEST(ShortListTest, CanBeFilledAgainAfterClearing) {
  ShortList<int, 4> list;
  const auto same = [](int value) { return value; };
  for (const int size : {3, 100, 0, 2}) {
    std::vector<int> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), size);
    list.clear();
    EXPECT_EQ(list.size(), 0U);
    list.fill(expected, same);
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), expected);
  }
}

TEST(ShortListTest, AReservedListIsNotMoved) {
  Names names;
  names.push_back("a");
  names.reserve(4);
  const std::string_view* const first = names.data();
  for (const std::string_view name : {"b", "c", "d"}) names.push_back(name);
  EXPECT_EQ(names.data(), first);
  EXPECT_EQ(all_of(names), (std::vector<std::string_view>{"a", "b", "c", "d"}));
}

}  // namespace
}  // namespace lockstep::internal
