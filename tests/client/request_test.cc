#include "lockstep/request.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

TEST(RequestTest, RareFieldsHaveDefaults) {
  const Request request(OpCode::kCreate, Path("/a"));
  EXPECT_TRUE(request.plain());
  EXPECT_TRUE(request.acl().is_open());
  EXPECT_EQ(request.ttl(), milliseconds(0));
  EXPECT_TRUE(request.scheme().is_null());
}

TEST(RequestTest, CopiesKeepTheRareFields) {
  Request request(OpCode::kCreate, Path("/a"));
  request.set_details(RequestDetails(Acl::read_only(), milliseconds(7)));
  Request copy = request;
  request.set_details(RequestDetails());
  EXPECT_FALSE(copy.plain());
  EXPECT_EQ(copy.acl(), Acl::read_only());
  EXPECT_EQ(copy.ttl(), milliseconds(7));
  EXPECT_TRUE(request.plain());

  Request auth(OpCode::kAddAuth, Path());
  auth.set_details(RequestDetails(Text("digest")));
  EXPECT_EQ(auth.scheme(), Text("digest"));
  EXPECT_TRUE(auth.acl().is_open());
}

// Backends skip the rare settings of plain requests.
TEST(RequestTest, IsPlainIfItsRareFieldsEqualTheDefaults) {
  Request request(OpCode::kCreate, Path("/a"));
  request.set_details(RequestDetails(Acl(), milliseconds(0)));
  EXPECT_TRUE(request.plain());
}

// A multi without operations still has a list of them.
TEST(RequestTest, AMultiIsNeverPlain) {
  Request multi(OpCode::kMulti, Path());
  multi.set_details(RequestDetails(std::vector<Request>()));
  EXPECT_FALSE(multi.plain());
  EXPECT_TRUE(multi.ops().empty());
  std::vector<Request> ops;
  ops.emplace_back(OpCode::kRemove, Path("/b"));
  multi.set_details(RequestDetails(std::move(ops)));
  ASSERT_EQ(multi.ops().size(), 1U);
  EXPECT_EQ(multi.ops()[0].path, Path("/b"));
}

TEST(ReplyTest, RareFieldsHaveDefaults) {
  Reply reply;
  EXPECT_TRUE(reply.plain());
  EXPECT_TRUE(reply.details().acl.is_open());
  EXPECT_TRUE(reply.details().results.empty());
  EXPECT_EQ(reply.failed_op(), -1);
  EXPECT_EQ(reply.stat(), Stat());
  EXPECT_TRUE(reply.take_details().results.empty());
}

TEST(ReplyTest, KeepsItsRareFields) {
  Reply read;
  read.set_details(ReplyDetails(Acl::read_only()));
  EXPECT_FALSE(read.plain());
  EXPECT_EQ(read.details().acl, Acl::read_only());
  EXPECT_EQ(read.failed_op(), -1);
  EXPECT_EQ(read.take_details().acl, Acl::read_only());

  Reply multi(Error::kNoNode);
  multi.set_details(ReplyDetails::failed_at(3));
  EXPECT_EQ(multi.failed_op(), 3);
}

TEST(ReplyTest, ShowsAZnode) {
  Stat stat;
  stat.czxid = 7;
  Reply reply;
  reply.set_stat(stat);
  EXPECT_EQ(reply.stat(), stat);
}

}  // namespace
}  // namespace lockstep
