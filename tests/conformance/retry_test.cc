#include <gtest/gtest.h>

#include "conformance/conformance.h"

// Z71: the result of a retry when the first attempt was applied and only its reply was lost.
namespace lockstep::conformance {

CONFORMANCE_TEST_IN_SESSION(Z71ARetriedCreateFindsItsOwnZnode) {
  const Path path = lab.parent() / "a";
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto first = session.create(path, "mine", CreateMode::kEphemeral);
  lab.lose_connection(session, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await first), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  const auto retried = co_await session.create(path, "mine", CreateMode::kEphemeral);
  EXPECT_EQ(error_of(retried), Error::kNodeExists);
  EXPECT_EQ((co_await stat_of(session, path)).ephemeral_owner, session.id());
}

CONFORMANCE_TEST_IN_SESSION(Z71ARetriedSetDataFindsTheNextVersion) {
  const Path path = lab.parent() / "a";
  co_await create(session, path, "before");
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto first = session.set_data(path, "after", 0);
  lab.lose_connection(session, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await first), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  EXPECT_EQ(error_of(co_await session.set_data(path, "after", 0)), Error::kBadVersion);
  const DataAndStat read = must(co_await session.get_data(path), "get_data");
  EXPECT_EQ(read.data.view(), "after");
  EXPECT_EQ(read.stat.version, 1);
}

CONFORMANCE_TEST_ON_ZNODE(Z71ARetriedRemoveFindsNothing) {
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto first = session.remove(path);
  lab.lose_connection(session, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await first), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  EXPECT_EQ(error_of(co_await session.remove(path)), Error::kNoNode);
}

}  // namespace lockstep::conformance
