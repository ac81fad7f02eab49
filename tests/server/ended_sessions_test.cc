// Requests that the leader takes up although the end of their session is decided.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "server/server_by_hand.h"

namespace lockstep::unit {
namespace {

class EndedSessionTest : public TwoSessionsTest {
 protected:
  // The reply to a request that the server had accepted when the session's end was decided.
  Reply late(Request request) {
    zk_.unspecified = {1};
    zk_.server.decide_expiry(1);
    return zk_.ask(b_, std::move(request));
  }
  static Request multi(std::vector<Request> ops) {
    Request multi(OpCode::kMulti, Path(Text()));
    multi.set_details(RequestDetails(std::move(ops)));
    return multi;
  }
};

// PrepRequestProcessor.pRequest2Txn: `case OpCode.delete: zks.sessionTracker.checkSession(...)`.
TEST_F(EndedSessionTest, Z28AMultiFailsWithItsFirstOperation) {
  const Reply reply = late(multi({Request(OpCode::kRemove, "/a"), Request(OpCode::kRemove, "/b")}));
  EXPECT_EQ(error_of(reply), Error::kSessionExpired);
  EXPECT_EQ(reply.failed_op(), 0);
}

TEST_F(EndedSessionTest, Z28AMultiOfNothingSucceeds) {
  const Zxid before = zk_.server.last_zxid();
  EXPECT_EQ(error_of(late(multi({}))), std::nullopt);
  EXPECT_EQ(zk_.server.last_zxid(), before + 1);
}

TEST_F(EndedSessionTest, Z28AMultiThatCannotBeReadSaysSo) {
  Request unreadable(OpCode::kCreate, "/a");
  unreadable.mode = fakezk::kRefused;
  unreadable.version = static_cast<std::int32_t>(Error::kMarshallingError);
  const Reply reply = late(multi({unreadable}));
  EXPECT_EQ(error_of(reply), Error::kMarshallingError);
  EXPECT_EQ(reply.failed_op(), -1);
}

TEST_F(EndedSessionTest, Z28OtherWritesHearThatTheSessionHasExpired) {
  EXPECT_EQ(error_of(late(Request(OpCode::kCreate, "/a"))), Error::kSessionExpired);
}

// PrepRequestProcessor.pRequest2Txn, closeSession: "We don't want to do this check".
TEST_F(EndedSessionTest, Z28ACloseSucceedsAndIsTheEnd) {
  zk_.create(b_, "/e", CreateMode::kEphemeral);
  zk_.watch(a_, OpCode::kExists, "/e");
  EXPECT_EQ(error_of(late(Request(OpCode::kClose, Path(Text())))), std::nullopt);
  EXPECT_EQ(zk_.events(a_), Events{"deleted /e"});
  EXPECT_TRUE(zk_.server.closing().empty());
  EXPECT_FALSE(zk_.network[b_].open);
}

}  // namespace
}  // namespace lockstep::unit
