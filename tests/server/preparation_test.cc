#include "lockstep/fakezk/preparation.h"

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::fakezk {
namespace {

class PreparationTest : public ::testing::Test, private Unspecified {
 protected:
  PreparationTest() {
    preparation_.serve(tree_, *paths_, true);
    preparation_.begin({.session = 1, .identities = {}, .zxid = 1});
  }

  std::expected<void, Error> prepare(const Request& request) {
    const PathId path = paths_->intern(request.path.text());
    return preparation_.prepare(request, path);
  }
  static Request with_acl(OpCode op, const char* path, int number) {
    Request request(op, Path(path));
    const AclEntry user(permission::kAll, "digest", "u" + std::to_string(number) + ":hash");
    request.set_details(RequestDetails(Acl({user})));
    return request;
  }

  std::shared_ptr<PathTable> paths_ = std::make_shared<PathTable>();
  ZnodeTree tree_{paths_};
  AclTable acls_;
  History history_;
  Preparation preparation_{acls_, *this, history_};

 private:
  std::uint32_t number(std::uint32_t) override { return 0; }
};

// If each operation looked at all the changes before it, this would take minutes.
TEST_F(PreparationTest, AMultiOfManyOperationsLooksAtEachChangeOnce) {
  constexpr int kChecks = 500'000;
  Request check(OpCode::kCheck, Path("/zookeeper"));
  check.version = -1;
  for (int i = 0; i < kChecks; ++i) ASSERT_TRUE(prepare(check));
  Request create(OpCode::kCreate, Path("/a-"));
  create.mode = CreateMode::kPersistentSequential;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(prepare(create));
  EXPECT_EQ(paths_->text(preparation_.path()).view(), "/a-0000000999");
  EXPECT_EQ(history_.size(), kChecks + 1000U);
}

TEST_F(PreparationTest, AMultiSeesWhatItsEarlierOperationsChange) {
  const auto error_of = [&](OpCode op, const char* path, std::int32_t version = -1) {
    Request request(op, Path(path));
    request.version = version;
    const auto done = prepare(std::move(request));
    return done ? std::nullopt : std::optional(done.error());
  };
  EXPECT_EQ(error_of(OpCode::kRemove, "/a"), Error::kNoNode);
  EXPECT_EQ(error_of(OpCode::kCreate, "/a"), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kCreate, "/a"), Error::kNodeExists);
  EXPECT_EQ(error_of(OpCode::kCreate, "/a/b"), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kRemove, "/a"), Error::kNotEmpty);
  EXPECT_EQ(error_of(OpCode::kSetData, "/a/b", 0), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kCheck, "/a/b", 0), Error::kBadVersion);
  EXPECT_EQ(error_of(OpCode::kCheck, "/a/b", 1), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kRemove, "/a/b"), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kRemove, "/a"), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kCreate, "/a"), std::nullopt);
  EXPECT_EQ(error_of(OpCode::kCheck, "/a", 0), std::nullopt);
  preparation_.begin({.session = 1, .identities = {}, .zxid = 2});
  EXPECT_EQ(error_of(OpCode::kCheck, "/a"), Error::kNoNode);
}

// Comparing each ACL with all others would take minutes.
TEST_F(PreparationTest, AWriteThatFailsKeepsNoAcl) {
  constexpr int kAcls = 10'000;
  const std::size_t before = acls_.size();
  for (int i = 0; i < kAcls; ++i) {
    EXPECT_FALSE(prepare(with_acl(OpCode::kSetAcl, "/none", i)));
    EXPECT_FALSE(prepare(with_acl(OpCode::kCreate, "/none/a", i)));
  }
  EXPECT_EQ(acls_.size(), before);
  for (int i = 0; i < kAcls; ++i) {
    ASSERT_TRUE(prepare(with_acl(OpCode::kSetAcl, "/zookeeper", i)));
  }
  EXPECT_EQ(acls_.size(), before + kAcls);
  EXPECT_TRUE(prepare(with_acl(OpCode::kSetAcl, "/zookeeper", 7)));
  EXPECT_EQ(acls_.size(), before + kAcls);
  preparation_.forget_changes();  // The multi fails.
  EXPECT_EQ(acls_.size(), before);
  preparation_.begin({.session = 1, .identities = {}, .zxid = 2});
  EXPECT_TRUE(prepare(with_acl(OpCode::kSetAcl, "/zookeeper", 7)));
  EXPECT_EQ(acls_.acl(history_.back().acl).entries().front().id, "u7:hash");
}

// A checkpoint shares what there was.
TEST_F(PreparationTest, ACopyOfTheAclsDoesNotSeeLaterOnes) {
  const AclTable earlier = acls_;
  ASSERT_TRUE(prepare(with_acl(OpCode::kSetAcl, "/zookeeper", 1)));
  EXPECT_EQ(acls_.size(), earlier.size() + 1);
  const AclId first = history_.back().acl;
  const AclTable later = acls_;
  acls_.reset_to(earlier);
  ASSERT_TRUE(prepare(with_acl(OpCode::kSetAcl, "/zookeeper", 2)));
  EXPECT_EQ(history_.back().acl, first);
  acls_.reset_to(later);
  EXPECT_EQ(acls_.acl(first).entries().front().id, "u1:hash");
  acls_.reset();
  EXPECT_EQ(acls_.size(), earlier.size());
}

}  // namespace
}  // namespace lockstep::fakezk
