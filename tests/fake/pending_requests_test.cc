#include "lockstep/fake/pending_requests.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::fake {
namespace {

using Numbers = std::vector<fakezk::PathId>;

PendingRequest numbered(fakezk::PathId number, OpCode op = OpCode::kExists) {
  PendingRequest request;
  request.path = number;
  request.op = op;
  return request;
}

Numbers numbers(const PendingRequests& pending) {
  Numbers found;
  pending.each([&](const PendingRequest& request) { found.push_back(request.path); });
  return found;
}

PendingRequests three() {
  PendingRequests pending;
  pending.add(numbered(1));
  pending.add(numbered(2, OpCode::kAddAuth));
  pending.add(numbered(3));
  return pending;
}

TEST(PendingRequestsTest, AreTakenInTheirOrder) {
  PendingRequests pending;
  EXPECT_TRUE(pending.empty());
  EXPECT_EQ(numbers(pending), Numbers());
  for (int round = 0; round < 2; ++round) {
    pending.add(numbered(1));
    pending.add(numbered(2));
    EXPECT_EQ(pending.take().path, 1U);
    pending.add(numbered(3));
    EXPECT_EQ(pending.size(), 2U);
    EXPECT_EQ(numbers(pending), (Numbers{2, 3}));
    EXPECT_EQ(pending.take().path, 2U);
    EXPECT_EQ(pending.take().path, 3U);
    EXPECT_TRUE(pending.empty());
  }
}

TEST(PendingRequestsTest, OneCanBeTakenOutOfTurnFromAnyPosition) {
  const auto take_number = [](PendingRequests& pending, fakezk::PathId number) {
    return pending.take_first([&](const PendingRequest& request) { return request.path == number; })
        .path;
  };
  PendingRequests pending = three();
  EXPECT_EQ(take_number(pending, 2), 2U);
  EXPECT_EQ(numbers(pending), (Numbers{1, 3}));
  EXPECT_EQ(take_number(pending, 3), 3U);
  pending.add(numbered(4));
  EXPECT_EQ(numbers(pending), (Numbers{1, 4}));
  EXPECT_EQ(take_number(pending, 1), 1U);
  EXPECT_EQ(numbers(pending), Numbers{4});
}

TEST(PendingRequestsTest, TheOldestOfSeveralEqualRequestsIsTaken) {
  PendingRequests pending = three();
  const auto no_auth = [](const PendingRequest& request) { return request.op != OpCode::kAddAuth; };
  EXPECT_EQ(pending.take_first(no_auth).path, 1U);
  pending.add(numbered(4));
  EXPECT_EQ(pending.take_first(no_auth).path, 3U);
  EXPECT_EQ(numbers(pending), (Numbers{2, 4}));
}

// A request without a waiter may be changed, too.
TEST(PendingRequestsTest, EachMayBeChanged) {
  PendingRequests pending = three();
  pending.each([](PendingRequest& request) { request.path += 10; });
  EXPECT_EQ(numbers(pending), (Numbers{11, 12, 13}));
}

}  // namespace
}  // namespace lockstep::fake
