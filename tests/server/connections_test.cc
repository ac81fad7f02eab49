#include "lockstep/fakezk/connections.h"

#include <gtest/gtest.h>

namespace lockstep::fakezk {
namespace {

TEST(ConnectionsTest, ALinkWithoutAHandshakeServesNoSession) {
  const Connections connections;
  EXPECT_FALSE(connections.has(3));
  EXPECT_EQ(connections.session_of(3), kNoSession);
  EXPECT_TRUE(connections.identities(3).empty());
}

TEST(ConnectionsTest, ANewConnectionKeepsOnlyTheReplicaOfTheLastOne) {
  Connections connections;
  Connections::Connection& first = connections.greeted(2);
  EXPECT_EQ(connections.size(), 3u);
  first.session = 7;
  first.replica = 1;
  first.unanswered = 4;
  first.drops_requests = true;
  first.identities.add({"digest", "user:hash"});
  EXPECT_EQ(connections.session_of(2), 7u);
  EXPECT_EQ(connections.identities(2).size(), 1u);

  const Connections::Connection& second = connections.greeted(2);
  EXPECT_EQ(second.number, 2u);
  EXPECT_EQ(second.session, kNoSession);
  EXPECT_EQ(second.replica, 1u);
  EXPECT_EQ(second.unanswered, 0u);
  EXPECT_FALSE(second.drops_requests);
  EXPECT_TRUE(connections.identities(2).empty());
}

TEST(ConnectionsTest, ARequestIsNotAnsweredOverALaterConnection) {
  Connections connections;
  connections.greeted(0).session = 5;
  connections[0].unanswered = 1;
  const std::uint32_t asked_over = connections[0].number;
  EXPECT_EQ(connections.ended(0), 5u);
  EXPECT_EQ(connections.ended(0), kNoSession);
  EXPECT_EQ(connections[0].unanswered, 0u);
  EXPECT_NE(connections.greeted(0).number, asked_over);
}

}  // namespace
}  // namespace lockstep::fakezk
