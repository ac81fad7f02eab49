#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "conformance/zxids.h"

namespace lockstep::conformance {

namespace {

Task<void> expect_failure(Session& session, Transaction transaction, Error error, std::size_t op) {
  const MultiError failure = co_await failure_of(session, std::move(transaction));
  EXPECT_EQ(failure.error, error);
  EXPECT_EQ(failure.op, op);
}

// The first operation changes something; the second is the one under test.
Transaction after_a_create(Path path, Request second) {
  Transaction transaction = Transaction().create(std::move(path), Data(), kPlain);
  transaction.add(std::move(second));
  return transaction;
}

Request request(OpCode op, Path path) { return {op, std::move(path)}; }

}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z22AMultiSeesItsOwnEarlierOperations) {
  const Path path = lab.parent() / "a";
  const MultiResults results = co_await commit(session, Transaction()
                                                            .create(path, "x", kPlain)
                                                            .check(path, 0)
                                                            .set_data(path, "yz", 0)
                                                            .check(path, 1)
                                                            .create(path / "b", Data(), kPlain)
                                                            .remove(path / "b", 0)
                                                            .remove(path, 1));
  EXPECT_EQ(results.size(), 7u);
  EXPECT_EQ(results[0].path, path);
  EXPECT_EQ(results[2].stat.version, 1);
  EXPECT_EQ(results[2].stat.data_length, 2);
  EXPECT_EQ(results[4].path, path / "b");
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z22AMultiIsOneTransaction) {
  const Path a = lab.parent() / "a";
  const Path b = lab.parent() / "b";
  const Created before = co_await create(session, a);
  const MultiResults results =
      co_await commit(session, Transaction().set_data(a, "x").create(b, Data(), kPlain));
  const Zxid zxid = results[0].stat.mzxid;
  EXPECT_GT(zxid, before.stat.czxid);
  EXPECT_EQ(co_await stat_of(session, a), results[0].stat);
  EXPECT_EQ((co_await stat_of(session, b)).czxid, zxid);
  const Stat parent = co_await stat_of(session, lab.parent());
  EXPECT_EQ(parent.pzxid, zxid);
  const Created after = co_await create(session, lab.parent() / "c");
  EXPECT_GT(after.stat.czxid, zxid);
}

CONFORMANCE_TEST_IN_SESSION(Z12AMultiHasOneTime) {
  const Path a = lab.parent() / "a";
  Transaction many = Transaction().create(a, Data(), kPlain);
  for (int i = 0; i < 100; ++i) {
    std::move(many).create(a / std::to_string(i), Data(), kPlain);
  }
  std::move(many).set_data(a, "x");
  const MultiResults results = co_await commit(session, std::move(many));
  const Stat first = co_await stat_of(session, a);
  EXPECT_EQ(first.mtime_ms, first.ctime_ms);
  EXPECT_EQ((co_await stat_of(session, a / "99")).ctime_ms, first.ctime_ms);
  EXPECT_EQ(results.size(), 102u);
}

CONFORMANCE_TEST_IN_SESSION(Z22AFailedMultiChangesNothing) {
  const Path a = lab.parent() / "a";
  co_await create(session, a, "x");
  const Stat parent_before = co_await stat_of(session, lab.parent());
  const Stat a_before = co_await stat_of(session, a);
  co_await expect_failure(session,
                          Transaction()
                              .set_data(a, "y", 0)
                              .create(lab.parent() / "b", Data(), kPlain)
                              .create(a / "child", Data(), CreateMode::kEphemeral)
                              .remove(lab.parent() / "no"),
                          Error::kNoNode, 3);
  EXPECT_EQ(co_await stat_of(session, lab.parent()), parent_before);
  EXPECT_EQ(co_await stat_of(session, a), a_before);
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "b")), Error::kNoNode);
}

static Task<void> commit_four(Session& session, Path path) {
  co_await commit(session, Transaction());
  co_await expect_failure(session, Transaction().check(path, 7), Error::kBadVersion, 0);
  co_await expect_failure(session, Transaction().check(path).check(path, 7), Error::kBadVersion, 1);
  co_await commit(session, Transaction().check(path).set_data(path, "x").set_data(path, "y"));
}

CONFORMANCE_TEST_IN_SESSION(Z13EveryMultiTakesOneZxid) {
  EXPECT_EQ(co_await zxids_taken_by(lab, session, &commit_four), 4);
}

CONFORMANCE_TEST_IN_SESSION(Z22AnEmptyMultiWorks) {
  const MultiResults results = co_await commit(session, Transaction());
  EXPECT_TRUE(results.empty());
}

CONFORMANCE_TEST_ON_ZNODE(Z22AMultiReportsTheFirstOperationThatFails) {
  co_await expect_failure(
      session, Transaction().check(path).set_data(path, "x", 7).remove(path / "no").check(path, 9),
      Error::kBadVersion, 1);
  co_await expect_failure(
      session, Transaction().remove(path / "no").set_data(path, "x", 7).remove(path / "no"),
      Error::kNoNode, 0);
}

CONFORMANCE_TEST_IN_SESSION(Z22EveryErrorOfAnOperationCanOccur) {
  const Path fresh = lab.parent() / "fresh";
  const Path path = lab.parent() / "a";
  co_await create(session, path);
  co_await create(session, path / "child");
  const auto first = [&fresh] { return Transaction().create(fresh, Data(), kPlain); };
  co_await expect_failure(session, first().create(path, Data(), kPlain), Error::kNodeExists, 1);
  co_await expect_failure(session, first().create(path / "no" / "a", Data(), kPlain),
                          Error::kNoNode, 1);
  co_await expect_failure(session, first().create(path / "b", Data(), Creation(kPlain, nobody())),
                          Error::kInvalidAcl, 1);
  co_await expect_failure(session, first().create(path / "\x7f", Data(), kPlain),
                          Error::kBadArguments, 1);
  co_await expect_failure(session, first().remove(path), Error::kNotEmpty, 1);
  co_await expect_failure(session, first().remove(path, 7), Error::kBadVersion, 1);
  co_await expect_failure(session, first().remove("/zookeeper"), Error::kBadArguments, 1);
  co_await expect_failure(session, first().set_data(path / "no", "x"), Error::kNoNode, 1);
  co_await expect_failure(session, first().set_data(path, "x", -2), Error::kBadVersion, 1);
  co_await expect_failure(session, first().set_data(path / "\x7f", "x"), Error::kBadArguments, 1);
  EXPECT_EQ(error_of(co_await session.exists(fresh)), Error::kNoNode);
}

CONFORMANCE_TEST_ON_ZNODE(Z22AMultiMayRemoveAZnodeAndThenItsParent) {
  co_await create(session, path / "child");
  co_await commit(session, Transaction().remove(path / "child").remove(path));
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z22AMultiMayReplaceAZnode) {
  const Path path = lab.parent() / "a";
  const Created old = co_await create(session, path, "old");
  co_await commit(session, Transaction().remove(path, 0).create(path, "new", kPlain));
  const DataAndStat read = must(co_await session.get_data(path), "get_data");
  EXPECT_EQ(read.data.view(), "new");
  EXPECT_GT(read.stat.czxid, old.stat.czxid);
}

CONFORMANCE_TEST_ON_ZNODE(Z21CheckLooksAtTheVersionOfTheData) {
  co_await set_data(session, path, "x");
  co_await commit(session, Transaction().check(path).check(path, -1).check(path, 1));
  co_await expect_failure(session, Transaction().check(path, 0), Error::kBadVersion, 0);
  co_await expect_failure(session, Transaction().check(path, -2), Error::kBadVersion, 0);
  co_await expect_failure(session, Transaction().check(path / "no"), Error::kNoNode, 0);
  co_await expect_failure(session, Transaction().check(path / "\x7f"), Error::kBadArguments, 0);
}

CONFORMANCE_TEST_IN_SESSION(Z21CheckNeedsRead) {
  const Path path = lab.parent() / "a";
  const Creation closed(kPlain, anyone(permission::kAll & ~permission::kRead));
  co_await create(session, path, "x", closed);
  co_await expect_failure(session, Transaction().check(path, 7), Error::kNoAuth, 0);
  co_await set_acl(session, path, anyone(permission::kRead));
  co_await commit(session, Transaction().check(path, 0));
}

CONFORMANCE_TEST_IN_SESSION(Z22AnAclBelongsToOneOperation) {
  const Path path = lab.parent() / "a";
  const Acl acl = both(anyone(permission::kRead | permission::kCreate), digest(31, kAnnId));
  co_await commit(
      session,
      Transaction().create(path, Data(), Creation(kPlain, acl)).create(path / "b", Data(), kPlain));
  const Acl of_a = co_await acl_of(session, path);
  EXPECT_EQ(of_a, both(anyone(permission::kRead | permission::kCreate), digest(31, "ann:x")));
  const Acl of_b = co_await acl_of(session, path / "b");
  EXPECT_EQ(of_b, Acl::open());
}

CONFORMANCE_TEST_IN_SESSION(Z22AnAclAppliesToTheFollowingOperations) {
  const Path path = lab.parent() / "a";
  const Creation closed(kPlain, anyone(permission::kRead));
  co_await expect_failure(
      session, Transaction().create(path, Data(), closed).create(path / "b", Data(), kPlain),
      Error::kNoAuth, 1);
  co_await expect_failure(session, Transaction().create(path, Data(), closed).set_data(path, "x"),
                          Error::kNoAuth, 1);
}

CONFORMANCE_TEST_IN_SESSION(Z22CreatorOnlyWorksInAMulti) {
  const Creation for_creator(kPlain, Acl::creator_only());
  co_await expect_failure(session, Transaction().create(lab.parent() / "a", Data(), for_creator),
                          Error::kInvalidAcl, 0);
  co_await add_auth(session, kAnn);
  co_await commit(session, Transaction().create(lab.parent() / "a", Data(), for_creator));
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  EXPECT_EQ(acl, digest(permission::kAll, kAnnId));
}

CONFORMANCE_TEST_IN_SESSION(Z11AMultiKeepsNullAndEmptyDataApart) {
  const Path a = lab.parent() / "a";
  const Path b = lab.parent() / "b";
  co_await commit(session, Transaction().create(a, Data(), kPlain).create(b, "", kPlain));
  DataAndStat read_a = must(co_await session.get_data(a), "get_data");
  EXPECT_TRUE(read_a.data.is_null());
  DataAndStat read_b = must(co_await session.get_data(b), "get_data");
  EXPECT_FALSE(read_b.data.is_null());
  co_await commit(session, Transaction().set_data(a, "").set_data(b, Data()));
  read_a = must(co_await session.get_data(a), "get_data");
  EXPECT_FALSE(read_a.data.is_null());
  read_b = must(co_await session.get_data(b), "get_data");
  EXPECT_TRUE(read_b.data.is_null());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z22AMultiMayCreateEphemerals, owner, other) {
  const Path e = lab.parent() / "e";
  const MultiResults results = co_await commit(
      owner, Transaction()
                 .create(e, Data(), CreateMode::kEphemeral)
                 .create(lab.parent() / "s-", Data(), CreateMode::kEphemeralSequential));
  const Path s = results[1].path;
  EXPECT_EQ(s, lab.parent() / "s-0000000001");
  EXPECT_EQ((co_await stat_of(other, e)).ephemeral_owner, owner.id());
  must(co_await owner.close(), "close");
  EXPECT_EQ(error_of(co_await other.exists(s)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z33AnEphemeralHasNoChildrenInItsOwnMulti) {
  const Path path = lab.parent() / "e";
  co_await expect_failure(
      session,
      Transaction().create(path, Data(), CreateMode::kEphemeral).create(path / "a", Data(), kPlain),
      Error::kNoChildrenForEphemerals, 1);
}

CONFORMANCE_TEST_IN_SESSION(Z30AMultiDrawsSequenceNumbers) {
  const Path prefix = lab.parent() / "n-";
  const CreateMode sequential = CreateMode::kPersistentSequential;
  const MultiResults results = co_await commit(session, Transaction()
                                                            .create(prefix, Data(), sequential)
                                                            .create(prefix, Data(), sequential)
                                                            .create(prefix, Data(), kPlain)
                                                            .create(prefix, Data(), sequential)
                                                            .remove(lab.parent() / "n-0000000001"));
  EXPECT_EQ(results[0].path, lab.parent() / "n-0000000000");
  EXPECT_EQ(results[1].path, lab.parent() / "n-0000000001");
  EXPECT_EQ(results[3].path, lab.parent() / "n-0000000003");
  EXPECT_EQ(error_of(co_await session.exists(results[1].path)), Error::kNoNode);
  const Created next = co_await create(session, prefix, Data(), sequential);
  EXPECT_EQ(next.path, lab.parent() / "n-0000000004");
}

CONFORMANCE_TEST_IN_SESSION(Z30AFailedMultiDoesNotCount) {
  const Path prefix = lab.parent() / "n-";
  const CreateMode sequential = CreateMode::kPersistentSequential;
  // Both are sent together: the next number is drawn while the failed multi is still being undone.
  auto failing = session.multi(Transaction()
                                   .create(prefix, Data(), sequential)
                                   .create(prefix, Data(), sequential)
                                   .check(prefix));
  auto creation = session.create(prefix, Data(), sequential);
  EXPECT_EQ(error_of(co_await failing), Error::kNoNode);
  const Created next = must(co_await creation, "create");
  EXPECT_EQ(next.path, lab.parent() / "n-0000000000");
}

CONFORMANCE_TEST_IN_SESSION(Z30AParentRecreatedInAMultiStartsAgain) {
  const Path lock = lab.parent() / "lock";
  const CreateMode sequential = CreateMode::kPersistentSequential;
  co_await create(session, lock);
  co_await create(session, lock / "n-", Data(), sequential);
  const MultiResults results =
      co_await commit(session, Transaction()
                                   .create(lock / "n-", Data(), sequential)
                                   .remove(lock / "n-0000000000")
                                   .remove(lock / "n-0000000001")
                                   .remove(lock)
                                   .create(lock, Data(), kPlain)
                                   .create(lock / "n-", Data(), sequential));
  EXPECT_EQ(results[5].path, lock / "n-0000000000");
}

CONFORMANCE_TEST_IN_SESSION(Z3APathInAMultiIsJudgedWithItsNumber) {
  const std::string parent = lab.parent().string();
  const CreateMode sequential = CreateMode::kEphemeralSequential;
  const MultiResults results =
      co_await commit(session, Transaction()
                                   .create(parent + "/", Data(), sequential)
                                   .create(parent + "/..", Data(), sequential));
  EXPECT_EQ(results[0].path, lab.parent() / "0000000000");
  EXPECT_EQ(results[1].path, lab.parent() / "..0000000001");
}

static Task<void> commit_other_modes(Session& session, Path path) {
  const Path a = path / "a";
  const Path b = path / "b";
  co_await expect_failure(
      session, Transaction().create(a, Data(), kPlain).create(b, Data(), CreateMode::kContainer),
      Error::kUnimplemented, 1);
  const CreateMode modes[] = {CreateMode::kPersistentWithTtl,
                              CreateMode::kPersistentSequentialWithTtl};
  for (const CreateMode mode : modes) {
    const Creation with_ttl(mode, std::chrono::hours(1));
    co_await expect_failure(session, Transaction().create(b, Data(), with_ttl),
                            Error::kUnimplemented, 0);
  }
}

// The client refuses these, so the server receives nothing.
CONFORMANCE_TEST_IN_SESSION(Z23OtherModesAreRefusedInAMulti) {
  EXPECT_EQ(co_await zxids_taken_by(lab, session, &commit_other_modes), 0);
}

CONFORMANCE_TEST_IN_SESSION(Z23OtherOperationsAreRefusedInAMulti) {
  const OpCode others[] = {OpCode::kExists, OpCode::kGetData, OpCode::kGetChildren,
                           OpCode::kSync,   OpCode::kClose,   OpCode::kGetAcl,
                           OpCode::kSetAcl, OpCode::kMulti,   OpCode::kAddAuth};
  for (const OpCode op : others) {
    co_await expect_failure(session, after_a_create(lab.parent() / "a", request(op, lab.parent())),
                            Error::kUnimplemented, 1);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z4AMalformedPathInAMultiNeverReachesTheServer) {
  const Path fine = lab.parent() / "a";
  const std::string malformed[] = {"",
                                   "x",
                                   lab.parent().string() + "/",
                                   lab.parent().string() + "/../a",
                                   lab.parent().string() + "//a",
                                   lab.parent().string() + "/.",
                                   lab.parent().string() + "/a\x01",
                                   lab.parent().string() + std::string("/a\0b", 4)};
  const OpCode ops[] = {OpCode::kCreate, OpCode::kRemove, OpCode::kSetData, OpCode::kCheck};
  for (const std::string& path : malformed) {
    for (const OpCode op : ops) {
      co_await expect_failure(session, after_a_create(fine, request(op, path)),
                              Error::kBadArguments, 1);
    }
    co_await expect_failure(session, Transaction().remove(path).check(fine).remove(path),
                            Error::kBadArguments, 0);
  }
  const Created created = co_await create(session, fine);
  EXPECT_EQ(created.path, fine);
}

CONFORMANCE_TEST_IN_SESSION(AnAclWithANulIsRefusedInAMulti) {
  const Creation cut(kPlain, only(31, std::string("world\0", 6), "anyone"));
  co_await expect_failure(session,
                          Transaction().check(lab.parent()).create(lab.parent() / "a", Data(), cut),
                          Error::kInvalidAcl, 1);
}

}  // namespace lockstep::conformance
