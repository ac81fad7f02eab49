// The events that a server sends to each session, and their order.
#include <gtest/gtest.h>

#include <utility>

#include "server_by_hand.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class ServerWatchesTest : public TwoSessionsTest {};

TEST_F(ServerWatchesTest, DeleteFiresOncePerConnectionAndTheParentsWatches) {
  const LinkIndex c = zk_.open();
  zk_.create(b_, "/p");
  zk_.create(b_, "/p/n");
  for (int times = 0; times < 2; ++times) zk_.watch(a_, OpCode::kGetData, "/p/n");
  zk_.watch(a_, OpCode::kExists, "/p/n");
  zk_.watch(a_, OpCode::kGetChildren, "/p/n");
  zk_.watch(a_, OpCode::kGetChildren, "/p");
  zk_.watch(c, OpCode::kGetChildren, "/p/n");
  zk_.watch(c, OpCode::kGetChildren, "/");
  zk_.remove(b_, "/p/n");
  EXPECT_EQ(zk_.events(a_), (Events{"deleted /p/n", "child /p"}));
  EXPECT_EQ(zk_.events(c), Events{"deleted /p/n"});
}

TEST_F(ServerWatchesTest, FailedReadsLeaveNoWatchButExistsDoes) {
  zk_.watch(a_, OpCode::kGetData, "/n");
  zk_.watch(a_, OpCode::kGetChildren, "/n");
  zk_.create(b_, "/n");
  EXPECT_TRUE(zk_.events(a_).empty());
  zk_.watch(a_, OpCode::kExists, "/m");
  zk_.create(b_, "/m");
  EXPECT_EQ(zk_.events(a_), Events{"created /m"});
}

TEST_F(ServerWatchesTest, FailedWritesFireNoWatch) {
  zk_.create(b_, "/n");
  zk_.create(b_, "/n/c");
  zk_.watch(a_, OpCode::kGetData, "/n");
  zk_.watch(a_, OpCode::kGetChildren, "/n");
  zk_.watch(a_, OpCode::kGetChildren, "/");
  zk_.create(b_, "/n");
  zk_.remove(b_, "/n");
  zk_.set_data(b_, "/n", "x", 7);
  EXPECT_TRUE(zk_.events(a_).empty());
}

TEST_F(ServerWatchesTest, EndOfASessionFiresZnodeByZnode) {
  zk_.create(b_, "/p");
  zk_.create(a_, "/p/1", CreateMode::kEphemeral);
  zk_.create(a_, "/p/2", CreateMode::kEphemeral);
  zk_.watch(b_, OpCode::kGetData, "/p/1");
  zk_.watch(b_, OpCode::kGetData, "/p/2");
  zk_.watch(b_, OpCode::kGetChildren, "/p");
  zk_.ask(a_, Request(OpCode::kClose, Path()));
  const Events events = zk_.events(b_);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].starts_with("deleted /p/"));
  EXPECT_EQ(events[1], "child /p");  // Sent with the first delete.
  EXPECT_TRUE(events[2].starts_with("deleted /p/"));
}

TEST_F(ServerWatchesTest, OrderOfDeletedEphemeralsIsDrawn) {
  for (const char* const path : {"/1", "/2", "/3"}) {
    zk_.create(a_, path, CreateMode::kEphemeral);
    zk_.watch(b_, OpCode::kGetData, path);
  }
  zk_.unspecified = {2, 1};
  zk_.ask(a_, Request(OpCode::kClose, Path()));
  EXPECT_EQ(zk_.events(b_), (Events{"deleted /3", "deleted /1", "deleted /2"}));
}

// Z45: NIOServerCnxn.close -> DataTree.removeCnxn; only SetWatches restores them.
TEST_F(ServerWatchesTest, ConnectionTakesItsWatchesWithIt) {
  zk_.create(b_, "/n");
  zk_.watch(a_, OpCode::kGetData, "/n");
  zk_.watch(a_, OpCode::kGetChildren, "/n");
  zk_.cut(a_);
  zk_.greet(a_, zk_.handshake(a_));
  zk_.set_data(b_, "/n", "x");
  zk_.create(b_, "/n/c");
  EXPECT_TRUE(zk_.events(a_).empty());
}

TEST_F(ServerWatchesTest, WatchesThatAreSetAgainAreArmedOnce) {
  zk_.create(b_, "/n");
  zk_.watch(a_, OpCode::kGetData, "/n");
  WatchedPaths paths;
  paths.relative_zxid = zk_.server.last_zxid();
  paths.data.emplace_back("/n");
  paths.exist.emplace_back("/missing");
  paths.child.emplace_back("/n");
  zk_.network[a_].requests.emplace(std::move(paths));
  zk_.server.apply(a_, zk_.now);
  EXPECT_TRUE(zk_.events(a_).empty());
  zk_.set_data(b_, "/n", "x");
  zk_.create(b_, "/missing");
  zk_.create(b_, "/n/c");
  EXPECT_EQ(zk_.events(a_), (Events{"changed /n", "created /missing", "child /n"}));
}

}  // namespace
}  // namespace lockstep::fakezk
