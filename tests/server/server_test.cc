#include "lockstep/fakezk/server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server_by_hand.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class ServerTest : public TwoSessionsTest {};

// ------------------------------------------------------------------------------------- Stat

TEST_F(ServerTest, CreateSetsTheStatOfTheZnode) {
  zk_.now += 1234ms;
  const Reply reply = zk_.create(a_, "/a", CreateMode::kEphemeral, "12345");
  const Stat& stat = reply.stat();
  EXPECT_EQ(reply.path, "/a");
  EXPECT_EQ(stat.czxid, zk_.server.last_zxid());
  EXPECT_EQ(stat.mzxid, stat.czxid);
  EXPECT_EQ(stat.pzxid, stat.czxid);
  EXPECT_EQ(stat.ctime_ms % 10'000, 1234);
  EXPECT_EQ(stat.mtime_ms, stat.ctime_ms);
  EXPECT_EQ(stat.version, 0);
  EXPECT_EQ(stat.cversion, 0);
  EXPECT_EQ(stat.aversion, 0);
  EXPECT_EQ(stat.ephemeral_owner, zk_.session(a_));
  EXPECT_EQ(stat.data_length, 5);
  EXPECT_EQ(stat.num_children, 0);
  EXPECT_EQ(zk_.stat(b_, "/a"), stat);
}

TEST_F(ServerTest, SetDataCountsEvenIfTheBytesAreEqual) {
  Stat expected = zk_.create(a_, "/a", CreateMode::kPersistent, "same").stat();
  zk_.now += 7s;
  expected.version = 1;
  expected.mzxid = zk_.server.last_zxid() + 1;
  expected.mtime_ms += 7000;
  EXPECT_EQ(zk_.set_data(b_, "/a", "same").stat(), expected);
  EXPECT_EQ(zk_.stat(a_, "/a"), expected);
  EXPECT_EQ(zk_.set_data(b_, "/a", "").stat().data_length, 0);
}

TEST_F(ServerTest, OrderOfAListIsDrawn) {
  const auto listed = [&] {
    const Reply list = zk_.read(a_, OpCode::kGetChildren, "/p");
    std::string names;
    for (const std::string_view name : list.children) names += name;
    return names;
  };
  zk_.create(a_, "/p");
  for (const char* const name : {"/p/x", "/p/y", "/p/z"}) zk_.create(a_, name);
  EXPECT_EQ(listed(), "xyz");
  std::vector<std::string> seen;
  for (std::uint32_t first = 0; first < 3; ++first) {
    for (std::uint32_t second = 0; second < 2; ++second) {
      zk_.unspecified = {first, second};
      seen.push_back(listed());
    }
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::string>{"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}));
  EXPECT_EQ(listed(), "xyz");  // The order is the reply's, not the znode's.
}

TEST_F(ServerTest, LongListIsCompleteForEveryDraw) {
  zk_.create(a_, "/p");
  for (int i = 0; i < 20; ++i) zk_.create(a_, "/p/n-", CreateMode::kPersistentSequential);
  for (const std::uint32_t drawn : {0u, 7u, 19u}) {
    zk_.unspecified = {drawn};
    const Reply list = zk_.read(a_, OpCode::kGetChildren, "/p");
    std::vector<std::string> names(list.children.begin(), list.children.end());
    ASSERT_EQ(names.size(), 20U);
    EXPECT_EQ(names.front(),
              "n-00000000" + std::string(drawn < 10 ? "0" : "") + std::to_string(drawn));
    std::ranges::sort(names);
    EXPECT_EQ(names.front(), "n-0000000000");
    EXPECT_EQ(names.back(), "n-0000000019");
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  }
}

// -------------------------------------------------------------------------------------- zxids

TEST_F(ServerTest, EveryWriteTakesAZxidAlsoIfItFails) {
  const auto taken_by = [&](const std::function<void()>& action) {
    const Zxid before = zk_.server.last_zxid();
    action();
    return zk_.server.last_zxid() - before;
  };
  EXPECT_EQ(taken_by([&] { zk_.open(); }), 1);
  EXPECT_EQ(taken_by([&] { zk_.create(a_, "/a"); }), 1);
  EXPECT_EQ(taken_by([&] { zk_.create(a_, "/a"); }), 1);     // kNodeExists
  EXPECT_EQ(taken_by([&] { zk_.create(a_, "/no/a"); }), 1);  // kNoNode
  EXPECT_EQ(taken_by([&] { zk_.create(a_, "/a/.."); }), 1);  // kBadArguments
  EXPECT_EQ(taken_by([&] { zk_.set_data(a_, "/a", "x"); }), 1);
  EXPECT_EQ(taken_by([&] { zk_.set_data(a_, "/a", "x", 9); }), 1);  // kBadVersion
  EXPECT_EQ(taken_by([&] { zk_.remove(a_, "/no"); }), 1);           // kNoNode
  EXPECT_EQ(taken_by([&] { zk_.remove(a_, "/a"); }), 1);
  EXPECT_EQ(taken_by([&] { zk_.ask(b_, Request(OpCode::kClose, Path())); }), 1);
}

TEST_F(ServerTest, ReadsAndReconnectsTakeNoZxid) {
  zk_.create(a_, "/a");
  const Zxid before = zk_.server.last_zxid();
  zk_.read(a_, OpCode::kExists, "/a");
  zk_.read(a_, OpCode::kGetData, "/no");
  zk_.watch(a_, OpCode::kGetChildren, "/a");
  zk_.read(a_, OpCode::kSync, "/a");
  EXPECT_EQ(zk_.reply_zxid, before);
  zk_.cut(a_);
  zk_.greet(a_, zk_.handshake(a_));
  EXPECT_EQ(zk_.server.last_zxid(), before);
}

TEST_F(ServerTest, ReplyCarriesTheLastZxidThatItShows) {
  const Stat created = zk_.create(a_, "/a").stat();
  EXPECT_EQ(zk_.reply_zxid, created.czxid);
  zk_.create(b_, "/b");
  zk_.read(a_, OpCode::kGetData, "/a");
  EXPECT_EQ(zk_.reply_zxid, created.czxid + 1);
}

// --------------------------------------------------------------------------- what goes wrong

TEST_F(ServerTest, CreateReportsTheFirstError) {
  zk_.create(a_, "/p");
  zk_.create(a_, "/e", CreateMode::kEphemeral);
  EXPECT_EQ(error_of(zk_.create(a_, "/no/")), Error::kNoNode);  // Before the malformed leaf.
  EXPECT_EQ(error_of(zk_.create(a_, "/no/child")), Error::kNoNode);
  EXPECT_EQ(error_of(zk_.create(a_, "/p/")), Error::kBadArguments);
  EXPECT_EQ(error_of(zk_.create(a_, "/p/..")), Error::kBadArguments);
  EXPECT_EQ(error_of(zk_.create(a_, "/p/\x7f")), Error::kBadArguments);
  EXPECT_EQ(error_of(zk_.create(a_, "/p")), Error::kNodeExists);
  EXPECT_EQ(error_of(zk_.create(a_, "/")), Error::kNodeExists);
  EXPECT_EQ(error_of(zk_.create(a_, "/e/c")), Error::kNoChildrenForEphemerals);
  EXPECT_EQ(error_of(zk_.create(b_, "/e/c", CreateMode::kEphemeralSequential)),
            Error::kNoChildrenForEphemerals);
  EXPECT_EQ(error_of(zk_.create(a_, "/e/..")), Error::kBadArguments);  // Before the ephemeral.
}

TEST_F(ServerTest, HistoryRecordsTheSessionOfEachChange) {
  zk_.create(a_, "/e", CreateMode::kEphemeral);
  zk_.set_data(b_, "/e", "x");
  zk_.create(b_, "/p");
  zk_.remove(a_, "/p");
  zk_.ask(a_, Request(OpCode::kClose, Path()));
  const History& history = zk_.server.history();
  ASSERT_EQ(history.size(), 5U);
  const SessionId a = zk_.session(a_);
  const SessionId b = zk_.session(b_);
  const std::vector<std::pair<SessionId, SessionId>> expected = {
      {a, a}, {b, a}, {b, 0}, {a, 0}, {0, a}};
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_EQ(history[i].actor, expected[i].first) << i;
    EXPECT_EQ(history[i].owner, expected[i].second) << i;
    if (i > 0) {
      EXPECT_GT(history[i].zxid, history[i - 1].zxid);
    }
  }
  EXPECT_EQ(history[1].kind, Change::Kind::kDataSet);
  EXPECT_EQ(history[4].kind, Change::Kind::kDeleted);
}

}  // namespace
}  // namespace lockstep::fakezk
