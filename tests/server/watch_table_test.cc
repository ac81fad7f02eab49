#include "lockstep/fakezk/watch_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::fakezk {
namespace {

using Links = std::vector<LinkIndex>;

TEST(WatchTableTest, TakingAWatchRemovesIt) {
  WatchTable table;
  table.add(5, 1);
  table.add(5, 0);
  table.add(6, 1);
  EXPECT_TRUE(table.contains(5, 1));
  EXPECT_EQ(table.take(5), (Links{1, 0}));
  EXPECT_FALSE(table.contains(5, 1));
  EXPECT_TRUE(table.take(5).empty());
  EXPECT_EQ(table.take(6), Links{1});
  EXPECT_TRUE(table.take(1000).empty());
}

TEST(WatchTableTest, RegistrationsOfOneConnectionCollapse) {
  WatchTable table;
  table.add(5, 1);
  table.add(5, 1);
  EXPECT_EQ(table.take(5), Links{1});
  table.add(5, 1);  // A one-shot watch may be set again.
  EXPECT_EQ(table.take(5), Links{1});
}

TEST(WatchTableTest, DroppingAConnectionTakesItsEntriesOnly) {
  WatchTable table;
  table.add(5, 1);
  table.add(6, 1);
  table.add(5, 2);
  table.drop(1);
  table.drop(7);
  EXPECT_FALSE(table.contains(6, 1));
  EXPECT_EQ(table.take(5), Links{2});
  table.add(6, 1);
  EXPECT_EQ(table.take(6), Links{1});
}

TEST(WatchTableTest, KnowsWhetherItHasWatches) {
  WatchTable table;
  EXPECT_FALSE(table.any());
  table.add(5, 1);
  table.add(5, 1);
  table.add(5, 2);
  table.add(6, 2);
  EXPECT_TRUE(table.any(5));
  EXPECT_FALSE(table.any(7));
  static_cast<void>(table.take(5));
  EXPECT_FALSE(table.any(5));
  EXPECT_TRUE(table.any());
  table.drop(2);
  EXPECT_FALSE(table.any());
  table.add(5, 1);
  EXPECT_TRUE(table.remove(5, 1));
  EXPECT_FALSE(table.remove(5, 1));
  EXPECT_FALSE(table.any());
  table.add(5, 1);
  table.reset();
  EXPECT_FALSE(table.any());
}

TEST(WatchTableTest, ResetForgetsEverything) {
  WatchTable table;
  table.add(5, 1);
  table.add(900, 3);
  table.reset();
  EXPECT_FALSE(table.contains(5, 1));
  EXPECT_TRUE(table.take(900).empty());
  table.add(5, 1);
  EXPECT_EQ(table.take(5), Links{1});
}

TEST(WatchTableTest, APersistentWatchStays) {
  WatchTable table;
  table.add(5, 1, WatchMode::kPersistent);
  table.add(5, 2);
  EXPECT_EQ(table.take(5), (Links{1, 2}));
  EXPECT_EQ(table.take(5), Links{1});
  EXPECT_TRUE(table.remove(5, 1));
  EXPECT_TRUE(table.take(5).empty());
  EXPECT_FALSE(table.any());
}

// Z47
TEST(WatchTableTest, ThePlainKindReplacesThePersistentOne) {
  WatchTable table;
  table.add(5, 1, WatchMode::kRecursive);
  table.add(5, 1);
  EXPECT_FALSE(table.any_recursive());
  EXPECT_EQ(table.take(5), Links{1});
  EXPECT_TRUE(table.take(5).empty());
}

TEST(WatchTableTest, ARecursiveWatchHearsOfWhatIsBelowButNotOfChildren) {
  PathTable paths;
  const PathId top = paths.intern("/a");
  const PathId below = paths.intern("/a/b/c");
  WatchTable table;
  table.add(top, 1, WatchMode::kRecursive);
  table.add(PathTable::kRoot, 1, WatchMode::kRecursive);
  table.add(PathTable::kRoot, 2, WatchMode::kRecursive);
  table.add(top, 3, WatchMode::kPersistent);
  EXPECT_EQ(table.take_told(below, EventType::kCreated, paths), (Links{1, 2}));
  EXPECT_EQ(table.take_told(top, EventType::kChild, paths), Links{3});
  EXPECT_TRUE(table.any_recursive());
  table.drop(1);
  table.drop(2);
  EXPECT_FALSE(table.any_recursive());
  EXPECT_TRUE(table.take_told(below, EventType::kDeleted, paths).empty());
  table.reset();
  EXPECT_TRUE(table.take(top).empty());
}

TEST(WatchTableTest, ListsWhatAConnectionWatchesOnceInTheOrderOfRegistration) {
  WatchTable table;
  for (const PathId path : {7U, 5U, 6U}) table.add(path, 1);
  static_cast<void>(table.take(7));
  table.add(7, 1);
  static_cast<void>(table.take(5));
  EXPECT_EQ(table.watched_by(1), (std::vector<PathId>{7, 6}));
  EXPECT_TRUE(table.watched_by(9).empty());
}

// A search in the list for each path of it would take minutes.
TEST(WatchTableTest, ListsAMillionWatches) {
  constexpr PathId kMillion = 1'000'000;
  WatchTable table;
  for (PathId path = 0; path < kMillion; ++path) table.add(path, 0);
  EXPECT_EQ(table.watched_by(0).size(), kMillion);
}

}  // namespace
}  // namespace lockstep::fakezk
