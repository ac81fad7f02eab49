#include "lockstep/fakezk/znode_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep::fakezk {
namespace {

class ZnodeTreeTest : public ::testing::Test {
 protected:
  PathId id(std::string_view path) { return paths_->intern(Text(path)); }
  void create(std::string_view path, Zxid zxid) {
    tree_.create(id(path), Data(), 0, false, zxid, 0);
  }
  const Znode& at(std::string_view path) { return *tree_.find(id(path)); }

  std::shared_ptr<PathTable> paths_ = std::make_shared<PathTable>();
  ZnodeTree tree_{paths_};
};

TEST_F(ZnodeTreeTest, FindsWhatExistsOnly) {
  EXPECT_EQ(tree_.find(id("/a")), nullptr);
  create("/a", 1);
  ASSERT_NE(tree_.find(id("/a")), nullptr);
  EXPECT_EQ(tree_.find(static_cast<PathId>(1'000'000)), nullptr);
  tree_.remove(id("/a"), 2);
  EXPECT_EQ(tree_.find(id("/a")), nullptr);
  EXPECT_EQ(at("/").pzxid, 2);
}

TEST_F(ZnodeTreeTest, ZnodeThatIsCreatedAgainIsNew) {
  tree_.create(id("/a"), Data("old"), 7, true, 1, 100);
  create("/a/child", 2);
  tree_.set_data(id("/a"), Data("older"), 3, 200);
  tree_.remove(id("/a/child"), 4);
  tree_.remove(id("/a"), 5);
  tree_.create(id("/a"), Data("new"), 0, false, 6, 300);
  const Znode& again = at("/a");
  EXPECT_EQ(again.data, Data("new"));
  EXPECT_FALSE(again.container);
  EXPECT_EQ(again.ephemeral_owner, 0);
  EXPECT_EQ(again.children_created, 0);
  EXPECT_TRUE(again.children.empty());
  EXPECT_EQ(again.version, 0);
  EXPECT_EQ(again.czxid, 6);
  EXPECT_EQ(again.pzxid, 6);
  EXPECT_EQ(again.ctime_ms, 300);
}

TEST_F(ZnodeTreeTest, VisibleCversionIsCreatesPlusDeletes) {
  create("/p", 1);
  for (int i = 0; i < 5; ++i) create("/p/" + std::to_string(i), 2 + i);
  for (int i = 0; i < 3; ++i) tree_.remove(id("/p/" + std::to_string(i)), 10 + i);
  EXPECT_EQ(at("/p").children_created, 5);
  const Stat stat = tree_.stat(at("/p"));
  EXPECT_EQ(stat.cversion, 8);
  EXPECT_EQ(stat.num_children, 2);
  EXPECT_EQ(stat.pzxid, 12);
}

// A real server's counter stays where it is: the next sequential create finds its own predecessor
// (DataTree.createNode only raises it).
TEST_F(ZnodeTreeTest, CounterOfCreatesSticksAtItsEnd) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  create("/p", 1);
  tree_.find(id("/p"))->children_created = kMost - 1;
  create("/p/a", 2);
  EXPECT_EQ(at("/p").children_created, kMost);
  EXPECT_EQ(at("/p").pzxid, 2);
  create("/p/b", 3);
  EXPECT_EQ(at("/p").children_created, kMost);
  EXPECT_EQ(at("/p").pzxid, 2);
  EXPECT_EQ(at("/p").children.size(), 2U);
}

TEST_F(ZnodeTreeTest, VersionsWrapAround) {
  create("/a", 1);
  tree_.find(id("/a"))->version = std::numeric_limits<std::int32_t>::max();
  tree_.set_data(id("/a"), Data(), 2, 0);
  EXPECT_EQ(at("/a").version, std::numeric_limits<std::int32_t>::min());
}

TEST_F(ZnodeTreeTest, ResetLeavesAFreshServersTree) {
  create("/p", 1);
  create("/p/c", 2);
  create("/zookeeper/x", 3);
  tree_.reset(paths_);
  EXPECT_EQ(tree_.find(id("/p")), nullptr);
  EXPECT_EQ(tree_.find(id("/p/c")), nullptr);
  EXPECT_EQ(at("/").children.size(), 1U);
  EXPECT_EQ(tree_.stat(at("/")).cversion, -1);
  EXPECT_EQ(tree_.stat(at("/zookeeper")).cversion, -2);
  create("/p", 1);
  EXPECT_TRUE(at("/p").children.empty());
  EXPECT_EQ(at("/p").children_created, 0);
}

TEST_F(ZnodeTreeTest, ResetMayBringATableOfItsOwn) {
  create("/p", 1);
  paths_ = std::make_shared<PathTable>();
  tree_.reset(paths_);
  EXPECT_EQ(tree_.find(id("/other")), nullptr);
  create("/other", 1);
  EXPECT_EQ(at("/").children.back(), id("/other"));
}

}  // namespace
}  // namespace lockstep::fakezk
