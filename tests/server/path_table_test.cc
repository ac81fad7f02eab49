#include "lockstep/fakezk/path_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

class PathTableTest : public ::testing::Test {
 protected:
  PathId intern(std::string_view path) { return table_.intern(Text(path)); }
  std::optional<PathId> find(std::string_view path) { return table_.find(Text(path)); }

  PathTable table_;
};

TEST_F(PathTableTest, KnowsTheZnodesOfAFreshServer) {
  EXPECT_EQ(intern("/"), PathTable::kRoot);
  EXPECT_EQ(intern("/zookeeper"), PathTable::kZookeeper);
  EXPECT_EQ(intern("/zookeeper/config"), PathTable::kConfig);
  EXPECT_EQ(intern("/zookeeper/quota"), PathTable::kQuota);
  EXPECT_EQ(table_.parent(PathTable::kRoot), PathTable::kRoot);
  EXPECT_EQ(table_.name(PathTable::kRoot), "");
}

TEST_F(PathTableTest, SamePathHasTheSameNumber) {
  const PathId a = intern("/a");
  const PathId b = intern("/b");
  EXPECT_NE(a, b);
  EXPECT_EQ(intern("/a"), a);
  EXPECT_EQ(table_.path(a), "/a");
  EXPECT_EQ(table_.text(b).view(), "/b");
}

TEST_F(PathTableTest, KnowsTheParents) {
  const PathId deep = intern("/x/y/z");
  const PathId y = table_.parent(deep);
  const PathId x = table_.parent(y);
  EXPECT_EQ(table_.path(y), "/x/y");
  EXPECT_EQ(table_.path(x), "/x");
  EXPECT_EQ(table_.parent(x), PathTable::kRoot);
  EXPECT_EQ(table_.name(deep), "z");
  EXPECT_EQ(find("/x/y"), y);
}

// All its ancestors would take a hundred gigabytes.
TEST_F(PathTableTest, InternsNoAncestorsUnasked) {
  constexpr int kNames = 450'000;
  std::string path;
  for (int i = 0; i < kNames; ++i) path += "/a";
  const std::size_t before = table_.size();
  const PathId deep = intern(path);
  EXPECT_EQ(table_.size(), before + 1);
  EXPECT_EQ(table_.text(table_.parent(deep)).view(), path.substr(0, path.size() - 2));
  EXPECT_EQ(table_.parent(deep), table_.parent(deep));
  EXPECT_EQ(table_.size(), before + 2);
}

// Lists of children contain views of the names.
TEST_F(PathTableTest, NamesStayWhereTheyAre) {
  const std::string long_name(100'000, 'n');
  std::vector<PathId> ids;
  std::vector<std::string_view> names;
  for (int i = 0; i < 2'000; ++i) {
    const std::string name = i % 500 == 0 ? long_name + std::to_string(i) : std::to_string(i);
    ids.push_back(intern("/parent/" + name));
    names.push_back(table_.name(ids.back()));
    EXPECT_EQ(names.back(), name);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(table_.name(ids[i]).data(), names[i].data());
    EXPECT_EQ(table_.text(ids[i]).view(), "/parent/" + std::string(names[i]));
  }
}

TEST_F(PathTableTest, FindInternsNothing) {
  const std::size_t before = table_.size();
  EXPECT_EQ(find("/unknown"), std::nullopt);
  EXPECT_EQ(table_.size(), before);
  const PathId id = intern("/unknown");
  EXPECT_EQ(find("/unknown"), id);
}

TEST_F(PathTableTest, WritesSequenceNumbersAsTheServerDoes) {
  const auto written = [&](std::int32_t number) {
    return table_.path(table_.intern_sequential(Text("/q/n-"), number)).string();
  };
  EXPECT_EQ(written(0), "/q/n-0000000000");
  EXPECT_EQ(written(42), "/q/n-0000000042");
  EXPECT_EQ(written(std::numeric_limits<std::int32_t>::max()), "/q/n-2147483647");
  EXPECT_EQ(written(-1), "/q/n--000000001");
  EXPECT_EQ(written(std::numeric_limits<std::int32_t>::min()), "/q/n--2147483648");
}

TEST_F(PathTableTest, SequentialPathIsAPathLikeAnyOther) {
  const PathId numbered = table_.intern_sequential(Text("/q/n-"), 7);
  EXPECT_EQ(intern("/q/n-0000000007"), numbered);
  EXPECT_EQ(table_.intern_sequential(Text("/q/n-"), 7), numbered);
  EXPECT_EQ(table_.name(numbered), "n-0000000007");
  EXPECT_EQ(table_.parent(numbered), intern("/q"));
}

// The table remembers the latest paths, by a part that many of them share.
TEST_F(PathTableTest, DistinguishesSequentialPaths) {
  for (int round = 0; round < 2; ++round) {
    for (int prefix = 0; prefix < 50; ++prefix) {
      const PathId start = intern("/q/" + std::to_string(prefix) + "-");
      for (std::int32_t number = 0; number < 50; ++number) {
        const std::string digits = std::to_string(number);
        const std::string path =
            table_.path(start).string() + std::string(10 - digits.size(), '0') + digits;
        ASSERT_EQ(table_.path(table_.intern_sequential(start, number)), path);
      }
    }
  }
}

TEST_F(PathTableTest, KeepsItsNumbersWhileItGrows) {
  std::vector<PathId> ids;
  ids.reserve(5'000);
  for (int i = 0; i < 5'000; ++i) ids.push_back(intern("/p/" + std::to_string(i)));
  for (int i = 0; i < 5'000; ++i) {
    const std::string path = "/p/" + std::to_string(i);
    const PathId id = ids[static_cast<std::size_t>(i)];
    ASSERT_EQ(find(path), id);
    ASSERT_EQ(table_.path(id), path);
    ASSERT_EQ(table_.parent(id), intern("/p"));
  }
  EXPECT_EQ(table_.size(), 4U + 1U + 5'000U);
}

TEST_F(PathTableTest, KnowsTheLengthOfTheLongestPath) {
  EXPECT_EQ(table_.longest(), std::string_view("/zookeeper/config").size());
  intern("/" + std::string(99, 'a'));
  EXPECT_EQ(table_.longest(), 100U);
  intern("/b");
  EXPECT_EQ(table_.longest(), 100U);
}

}  // namespace
}  // namespace lockstep::fakezk
