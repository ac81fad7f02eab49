#include "lockstep/fakezk/znode_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::fakezk {
namespace {

class ZnodeTreeTest : public ::testing::Test {
 protected:
  PathId id(std::string_view path) { return paths_->intern(Text(path)); }
  // Creates like the leader: the parent's counter goes up by one, and wraps around.
  void create(std::string_view path, Zxid zxid, Data data = Data(), SessionId owner = 0,
              std::int64_t now_ms = 0) {
    Change change{Change::Kind::kCreated, id(path), zxid, 0, owner};
    change.data = std::move(data);
    const Znode& parent = *tree_.find(paths_->parent(change.path));
    change.version =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(parent.children_created) + 1);
    if (owner != 0) change.lifetime = Lifetime::kEphemeral;
    tree_.apply(change, now_ms);
  }
  void remove(std::string_view path, Zxid zxid) {
    tree_.apply(Change{Change::Kind::kDeleted, id(path), zxid, 0, 0}, 0);
  }
  void set_data(std::string_view path, Data data, Zxid zxid, std::int64_t now_ms) {
    Change change{Change::Kind::kDataSet, id(path), zxid, 0, 0};
    change.data = std::move(data);
    change.version = at(path).version + 1;
    tree_.apply(change, now_ms);
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
  remove("/a", 2);
  EXPECT_EQ(tree_.find(id("/a")), nullptr);
  EXPECT_EQ(at("/").pzxid, 2);
}

TEST_F(ZnodeTreeTest, ZnodeThatIsCreatedAgainIsNew) {
  create("/a", 1, Data("old"), 7, 100);
  create("/a/child", 2);
  set_data("/a", Data("older"), 3, 200);
  tree_.apply(Change{Change::Kind::kAclSet, id("/a"), 3, 0, 0, Data(), AclTable::kReadOnly}, 0);
  remove("/a/child", 4);
  remove("/a", 5);
  create("/a", 6, Data("new"), 0, 300);
  const Znode& again = at("/a");
  EXPECT_EQ(again.data, Data("new"));
  EXPECT_EQ(again.lifetime, Lifetime::kPersistent);
  EXPECT_EQ(again.acl, AclTable::kOpen);
  EXPECT_EQ(again.ephemeral_owner, 0);
  EXPECT_EQ(again.children_created, 0);
  EXPECT_TRUE(again.children.empty());
  EXPECT_EQ(again.version, 0);
  EXPECT_EQ(again.czxid, 6);
  EXPECT_EQ(again.pzxid, 6);
  EXPECT_EQ(again.ctime_ms, 300);
}

TEST_F(ZnodeTreeTest, VisibleCversionIsCreatesPlusDeletes) {
  create("/p", 1, Data(), 0, 50);
  for (int i = 0; i < 5; ++i) create("/p/" + std::to_string(i), 2 + i, Data(), 0, 100);
  for (int i = 0; i < 3; ++i) remove("/p/" + std::to_string(i), 10 + i);
  EXPECT_EQ(at("/p").children_created, 5);
  const Stat stat = tree_.stat(at("/p"));
  EXPECT_EQ(stat.cversion, 8);
  EXPECT_EQ(stat.num_children, 2);
  EXPECT_EQ(stat.pzxid, 12);
  EXPECT_EQ(stat.mtime_ms, 50);
}

// A real server's counter stays: the next sequential create finds its own predecessor
// (DataTree.createNode only raises it).
TEST_F(ZnodeTreeTest, CounterOfCreatesSticksAtItsEnd) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  create("/p", 1);
  tree_.wind_sequence(id("/p"), kMost - 1);
  create("/p/a", 2);
  EXPECT_EQ(at("/p").children_created, kMost);
  EXPECT_EQ(at("/p").pzxid, 2);
  create("/p/b", 3);
  EXPECT_EQ(at("/p").children_created, kMost);
  EXPECT_EQ(at("/p").pzxid, 2);
  EXPECT_EQ(at("/p").children.size(), 2U);
}

TEST_F(ZnodeTreeTest, AclHasAVersionOfItsOwn) {
  create("/a", 1, Data("x"), 0, 100);
  const Stat before = tree_.stat(at("/a"));
  Change change{Change::Kind::kAclSet, id("/a"), 2, 0, 0};
  change.acl = AclTable::kReadOnly;
  change.version = 1;
  tree_.apply(change, 200);
  Stat expected = before;
  expected.aversion = 1;
  EXPECT_EQ(tree_.stat(at("/a")), expected);
  EXPECT_EQ(at("/a").acl, AclTable::kReadOnly);
}

TEST_F(ZnodeTreeTest, FreshServersOwnZnodesHaveEmptyDataAndOneIsReadOnly) {
  for (const char* const path : {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) {
    EXPECT_FALSE(at(path).data.is_null()) << path;
    EXPECT_EQ(at(path).data.view(), "") << path;
  }
  EXPECT_EQ(at("/zookeeper/config").acl, AclTable::kReadOnly);
  EXPECT_EQ(at("/zookeeper/config").aversion, -1);
  EXPECT_EQ(at("/zookeeper").acl, AclTable::kOpen);
  EXPECT_EQ(tree_.stat(at("/")).num_children, 1);
  EXPECT_EQ(tree_.stat(at("/zookeeper/quota")), Stat());
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

// It undoes the changes since the checkpoint, which differ for the two.
TEST_F(ZnodeTreeTest, GoesBackToEitherOfTwoCheckpoints) {
  create("/p", 1);
  create("/p/a", 2);
  const ZnodeTree::Checkpoint early = tree_.checkpoint();
  set_data("/p/a", Data("late"), 3, 30);
  create("/p/b", 4);
  remove("/p/a", 5);
  const ZnodeTree::Checkpoint late = tree_.checkpoint();
  create("/p/c", 6);
  for (int round = 0; round < 2; ++round) {
    tree_.reset_to(early);
    EXPECT_EQ(at("/p").children, std::vector<PathId>{id("/p/a")});
    EXPECT_EQ(at("/p").num_children, 1);
    EXPECT_TRUE(at("/p/a").data.is_null());
    EXPECT_EQ(tree_.find(id("/p/b")), nullptr);
    if (round == 0) set_data("/p/a", Data("other"), 3, 30);
    tree_.reset_to(late);
    EXPECT_EQ(at("/p").children, std::vector<PathId>{id("/p/b")});
    EXPECT_EQ(at("/p").pzxid, 5);
    EXPECT_EQ(tree_.find(id("/p/a")), nullptr);
    EXPECT_EQ(tree_.find(id("/p/c")), nullptr);
  }
  tree_.reset(paths_);
  EXPECT_EQ(tree_.find(id("/p")), nullptr);
  EXPECT_EQ(at("/").num_children, 1);
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
