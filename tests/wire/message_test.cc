#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"
#include "wire/complaint.h"
#include "wire/draw.h"

namespace lockstep::wire {
namespace {

constexpr int kOfEach = 20;

std::vector<Op> requested_ops() {
  std::vector<Op> ops;
  for (std::int32_t op = -200; op < 200; ++op) {
    if (empty_body(static_cast<Op>(op))) ops.push_back(static_cast<Op>(op));
  }
  return ops;
}

TEST(WireMessageTest, EveryRequestHasANameAndAReply) {
  EXPECT_EQ(requested_ops().size(), 30U);
  for (const Op op : requested_ops()) {
    EXPECT_FALSE(name(op).empty()) << static_cast<std::int32_t>(op);
    EXPECT_TRUE(empty_reply(op).has_value()) << name(op);
  }
}

// Calls `check` with many requests and replies of every kind.
template <class Check>
void for_many(Check check) {
  Draw draw(1);
  for (const Op op : requested_ops()) {
    for (int i = 0; i < kOfEach; ++i) check(op, draw.request(op), draw.reply(op));
  }
}

TEST(WireMessageTest, EncodedMessagesDecodeToThemselves) {
  for_many([](Op op, const Request& request, const Reply& reply) {
    ASSERT_EQ(decode_request(encode(request)), request) << name(op);
    ASSERT_EQ(decode_reply(op, encode(reply)), reply) << name(op);
  });
}

TEST(WireMessageTest, BytesAfterTheLastFieldAreIgnored) {
  for_many([](Op op, const Request& request, const Reply& reply) {
    ASSERT_EQ(decode_request(encode(request) + "more"), request) << name(op);
    ASSERT_EQ(decode_reply(op, encode(reply) + "more"), reply) << name(op);
  });
}

TEST(WireMessageTest, EveryTruncationIsRefused) {
  for_many([](Op op, const Request& request, const Reply& reply) {
    const std::string asked = encode(request);
    for (std::size_t size = 0; size < asked.size(); ++size) {
      ASSERT_FALSE(decode_request(asked.substr(0, size)).has_value()) << name(op) << size;
    }
    const std::string answered = encode(reply);
    for (std::size_t size = 0; size < answered.size(); ++size) {
      ASSERT_FALSE(decode_reply(op, answered.substr(0, size)).has_value()) << name(op) << size;
    }
  });
}

TEST(WireMessageTest, UnknownOperationsAreRefused) {
  for (std::int32_t op = -200; op < 200; ++op) {
    if (empty_body(static_cast<Op>(op))) continue;
    std::string frame;
    Writer writer(frame);
    writer(std::int32_t{1}, op, Ustring("/a"), std::int64_t{0});
    EXPECT_EQ(decode_request(frame).error(), Malformed::kUnknownOp) << op;
    EXPECT_EQ(decode_reply(static_cast<Op>(op), frame).error(), Malformed::kUnknownOp) << op;
  }
}

TEST(WireMessageTest, AMultiHoldsNoOtherOperations) {
  for (const Op op : {Op::kMulti, Op::kExists, Op::kPing, Op::kError}) {
    std::string frame;
    Writer writer(frame);
    writer(std::int32_t{1}, static_cast<std::int32_t>(Op::kMulti));
    writer(static_cast<std::int32_t>(op), false, std::int32_t{-1}, std::int64_t{0});
    EXPECT_EQ(decode_request(frame).error(), Malformed::kUnknownOp) << name(op);
  }
}

TEST(WireMessageTest, ABodyOfAnotherOperationIsMisuse) {
  const Request request{.xid = 1, .op = Op::kExists, .body = Nothing()};
  EXPECT_THROW(static_cast<void>(encode(request)), std::logic_error);
}

TEST(WireMessageTest, AnErrorHasNoBody) {
  const Reply failed{.xid = 3, .zxid = 9, .err = -101, .body = Nothing()};
  const std::string frame = encode(failed);
  EXPECT_EQ(frame.size(), 16U);
  EXPECT_EQ(decode_reply(Op::kGetData, frame), failed);
}

TEST(WireMessageTest, AnEventIsNoReply) {
  const Event event{.zxid = -1, .type = 3, .state = 3, .path = "/a"};
  EXPECT_EQ(decode_event(encode(event)), event);
  EXPECT_EQ(xid_of(encode(event)), kEventXid);
  EXPECT_EQ(decode_reply(Op::kPing, encode(event)).error(), Malformed::kNotThisRecord);
  const Reply pong{.xid = kPingXid, .zxid = 1, .err = 0, .body = Nothing()};
  EXPECT_EQ(decode_event(encode(pong) + std::string(20, '\0')).error(), Malformed::kNotThisRecord);
  for (std::size_t size = 0; size < encode(event).size(); ++size) {
    EXPECT_FALSE(decode_event(encode(event).substr(0, size)).has_value()) << size;
  }
}

TEST(WireMessageTest, AHandshakeMayLackItsLastByte) {
  ConnectRequest request{.protocol_version = 0,
                         .last_zxid_seen = 5,
                         .timeout_ms = 10000,
                         .session = 7,
                         .password = "0123456789abcdef",
                         .read_only = true};
  ConnectResponse response{.protocol_version = 0,
                           .timeout_ms = 4000,
                           .session = 7,
                           .password = "0123456789abcdef",
                           .read_only = false};
  EXPECT_EQ(decode_connect_request(encode(request)), request);
  EXPECT_EQ(decode_connect_response(encode(response)), response);
  const std::string asked = encode(request);
  for (std::size_t size = 0; size + 1 < asked.size(); ++size) {
    EXPECT_FALSE(decode_connect_request(asked.substr(0, size)).has_value()) << size;
  }
  request.read_only.reset();
  response.read_only.reset();
  EXPECT_EQ(decode_connect_request(asked.substr(0, asked.size() - 1)), request);
  EXPECT_EQ(decode_connect_request(encode(request)), request);
  EXPECT_EQ(decode_connect_response(encode(response)), response);
}

// Runs the fuzzer's target on damaged messages, in every build and without a fuzzer.
TEST(WireMessageTest, DamagedMessagesAreRefusedOrMeanSomething) {
  Draw draw(2);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Op op = draw.op(empty_body);
    const bool is_request = draw.below(2) == 0;
    std::string frame = is_request ? encode(draw.request(op)) : encode(draw.reply(op));
    for (std::uint64_t damage = 0; damage <= draw.below(3); ++damage) {
      frame[draw.below(frame.size())] =
          static_cast<char>(draw.below(2) == 0 ? 0xff : draw.below(256));
    }
    ASSERT_EQ(complaint_about(frame), "");
    refused += is_request && !decode_request(frame) ? 1 : 0;
  }
  EXPECT_GT(refused, 3'000);
}

}  // namespace
}  // namespace lockstep::wire
