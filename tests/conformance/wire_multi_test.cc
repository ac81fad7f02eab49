// Multis with operations that the C client cannot send.
#include <gmock/gmock.h>

#include "conformance/wire_lab.h"

namespace lockstep::conformance {
namespace {

using wire::Op;

std::vector<wire::MultiResult> results_of(const wire::Reply& reply) {
  EXPECT_EQ(reply.err, 0);
  return std::get<wire::MultiReply>(reply.body).results;
}

constexpr std::int32_t kContainer = 4;
constexpr std::int32_t kWithTtl = 5;

TEST_P(WireConformance, Z122EachKindOfCreateFitsInAMulti) {
  WireSession session(*lab);
  wire::MultiRequest all;
  all.ops.push_back({.op = Op::kCreate2, .body = a_create(root)});
  all.ops.push_back({.op = Op::kCreateContainer, .body = a_create(root + "/c", kContainer)});
  all.ops.push_back({.op = Op::kCreate, .body = a_create(root + "/d", kContainer)});
  all.ops.push_back({.op = Op::kCreateTtl, .body = a_ttl_create(root + "/t", kWithTtl, 60'000)});
  all.ops.push_back({.op = Op::kCreate, .body = a_create(root + "/p")});
  const wire::Reply reply = session.ask(Op::kMulti, all);
  const std::vector<wire::MultiResult> results = results_of(reply);
  ASSERT_EQ(results.size(), 5U);
  const auto expect_create = [&](std::size_t i, const std::string& path) {
    ASSERT_EQ(results[i].op, Op::kCreate) << i;
    EXPECT_EQ(std::get<wire::PathReply>(results[i].body).path, path);
  };
  const auto expect_create2 = [&](std::size_t i, const std::string& path) {
    ASSERT_EQ(results[i].op, Op::kCreate2) << i;
    const auto& made = std::get<wire::Create2Reply>(results[i].body);
    EXPECT_EQ(made.path, path);
    EXPECT_EQ(made.stat.czxid, reply.zxid);
    EXPECT_EQ(made.stat.num_children, 0);
    EXPECT_EQ(made.stat.data_length, 4);
  };
  // The mode decides, not the operation.
  expect_create(0, root);
  expect_create2(1, root + "/c");
  expect_create2(2, root + "/d");
  expect_create2(3, root + "/t");
  expect_create(4, root + "/p");
  const wire::Reply list = session.ask(Op::kGetChildren, a_read(root));
  EXPECT_EQ(std::get<wire::ChildrenReply>(list.body).children->size(), 4U);
}

TEST_P(WireConformance, Z122AMultiRefusesAnInvalidTimeToLive) {
  WireSession session(*lab);
  for (const std::int64_t ttl : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{0x10000000000}}) {
    wire::MultiRequest body;
    body.ops.push_back({.op = Op::kCreate, .body = a_create(root)});
    body.ops.push_back({.op = Op::kCreateTtl, .body = a_ttl_create(root + "/t", kWithTtl, ttl)});
    const auto results = results_of(session.ask(Op::kMulti, body));
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].err, 0);
    EXPECT_EQ(results[1].err, -8);
  }
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root)), -101);
}

TEST_P(WireConformance, Z122AMultiRefusesInvalidFlags) {
  WireSession session(*lab);
  wire::MultiRequest body;
  body.ops.push_back({.op = Op::kCreate, .body = a_create(root)});
  body.ops.push_back({.op = Op::kCreate2, .body = a_create(root + "/a", 77)});
  body.ops.push_back({.op = Op::kDelete, .body = of_any_version(root)});
  const auto results = results_of(session.ask(Op::kMulti, body));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].err, 0);
  EXPECT_EQ(results[1].err, -8);
  EXPECT_EQ(results[2].err, -2);
}

}  // namespace
}  // namespace lockstep::conformance
