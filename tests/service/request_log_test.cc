// The log of requests keeps the last ones.
#include "request_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(RequestLogTest, ForgetsTheOldestOfMany) {
  RequestLog log;
  EXPECT_THAT(log.after(0), IsEmpty());
  for (std::size_t count = 0; count < RequestLog::kMost + 5; ++count) log.add({.op = "create"});
  log.close(5, "forgotten");
  log.close(6, "kept");
  const auto all = log.after(0);
  ASSERT_THAT(all, SizeIs(RequestLog::kMost));
  EXPECT_EQ(all.front().number, 6U);
  EXPECT_EQ(all.front().answer, "kept");
  EXPECT_EQ(log.after(RequestLog::kMost + 3).front().number, RequestLog::kMost + 4);
  EXPECT_THAT(log.after(RequestLog::kMost + 5), IsEmpty());
  EXPECT_THAT(log.after(RequestLog::kMost + 99), IsEmpty());
}

TEST(RequestLogTest, TheFirstNumberIsLogged) {
  RequestLog log;
  EXPECT_EQ(log.add({}), 1U);
  EXPECT_THAT(log.after(0), SizeIs(1));
}

TEST(RequestLogTest, AMultiHasThePathsOfItsOperations) {
  wire::MultiRequest multi;
  multi.ops.push_back({.op = wire::Op::kCheck, .body = wire::VersionRequest{.path = "/a"}});
  multi.ops.push_back({.op = wire::Op::kDelete, .body = wire::VersionRequest{.path = "/b"}});
  EXPECT_EQ(path_of({.op = wire::Op::kMulti, .body = multi}), "/a, /b");
  EXPECT_EQ(path_of({.op = wire::Op::kSync, .body = wire::PathRequest{.path = "/c"}}), "/c");
  EXPECT_EQ(path_of({.op = wire::Op::kExists, .body = wire::ReadRequest{}}), "");
  EXPECT_EQ(path_of({.op = wire::Op::kWhoAmI, .body = wire::Nothing{}}), "");
  const std::string longest(5000, 'x');
  EXPECT_LT(path_of({.op = wire::Op::kSync, .body = wire::PathRequest{.path = longest}}).size(),
            300U);
}

}  // namespace
}  // namespace lockstep::service
