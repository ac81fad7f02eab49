#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/zxids.h"

namespace lockstep::conformance {

CONFORMANCE_TEST_IN_SESSION(Z8CreateReturnsThePathAndTheStat) {
  const Path path = lab.parent() / "a";
  const Created created = co_await create(session, path, "data");
  EXPECT_EQ(created.path, path);
  const Stat& stat = created.stat;
  EXPECT_GT(stat.czxid, 0);
  EXPECT_EQ(stat.mzxid, stat.czxid);
  EXPECT_EQ(stat.pzxid, stat.czxid);
  EXPECT_EQ(stat.mtime_ms, stat.ctime_ms);
  EXPECT_EQ(stat.version, 0);
  EXPECT_EQ(stat.cversion, 0);
  EXPECT_EQ(stat.aversion, 0);
  EXPECT_EQ(stat.ephemeral_owner, 0);
  EXPECT_EQ(stat.data_length, 4);
  EXPECT_EQ(stat.num_children, 0);
  EXPECT_EQ(co_await stat_of(session, path), stat);
}

CONFORMANCE_TEST_IN_SESSION(Z8CreateChangesOnlyTheChildPartOfTheParent) {
  const Stat before = co_await stat_of(session, lab.parent());
  const Created child = co_await create(session, lab.parent() / "a");
  Stat expected = before;
  expected.pzxid = child.stat.czxid;
  expected.cversion += 1;
  expected.num_children += 1;
  const Stat after = co_await stat_of(session, lab.parent());
  EXPECT_EQ(after, expected);
  EXPECT_GT(after.pzxid, before.pzxid);
}

CONFORMANCE_TEST_IN_SESSION(Z9RemoveCountsAsAChangeOfTheChildren) {
  const Created child = co_await create(session, lab.parent() / "a");
  const Stat before = co_await stat_of(session, lab.parent());
  co_await remove(session, child.path);
  Stat after = co_await stat_of(session, lab.parent());
  EXPECT_GT(after.pzxid, child.stat.czxid);
  after.pzxid = before.pzxid;
  Stat expected = before;
  expected.cversion += 1;
  expected.num_children -= 1;
  EXPECT_EQ(after, expected);
}

CONFORMANCE_TEST_IN_SESSION(Z7CversionIsCreatesPlusRemoves) {
  for (int i = 0; i < 3; ++i) {
    co_await create(session, lab.parent() / "a");
    co_await remove(session, lab.parent() / "a");
  }
  co_await create(session, lab.parent() / "b");
  const Stat stat = co_await stat_of(session, lab.parent());
  EXPECT_EQ(stat.cversion, 7);
  EXPECT_EQ(stat.num_children, 1);
}

// A server starts with these znodes, and no create has counted for them. Other tests may have
// removed children of the root since then: each has counted twice.
CONFORMANCE_TEST_IN_SESSION(Z7ThePredefinedZnodesStartBelowZero) {
  const Stat root = co_await stat_of(session, "/");
  const int counted_twice = root.cversion - (-1 + (root.num_children - 1));
  EXPECT_GE(counted_twice, 0);
  EXPECT_EQ(counted_twice % 2, 0);
  const Stat zookeeper = co_await stat_of(session, "/zookeeper");
  EXPECT_EQ(zookeeper.cversion, -2);
  EXPECT_EQ(zookeeper.num_children, 2);
}

CONFORMANCE_TEST_IN_SESSION(Z10SetDataChangesTheDataPart) {
  const Created created = co_await create(session, lab.parent() / "a", "data");
  const Stat set = co_await set_data(session, created.path, "longer data");
  EXPECT_GT(set.mzxid, created.stat.mzxid);
  EXPECT_GE(set.mtime_ms, created.stat.mtime_ms);
  Stat expected = created.stat;
  expected.mzxid = set.mzxid;
  expected.mtime_ms = set.mtime_ms;
  expected.version = 1;
  expected.data_length = 11;
  EXPECT_EQ(set, expected);
  EXPECT_EQ(co_await stat_of(session, created.path), set);
}

CONFORMANCE_TEST_IN_SESSION(Z10SettingEqualBytesIsAChange) {
  const Created created = co_await create(session, lab.parent() / "a", "same");
  const Stat set = co_await set_data(session, created.path, "same");
  EXPECT_EQ(set.version, 1);
  EXPECT_GT(set.mzxid, created.stat.mzxid);
}

CONFORMANCE_TEST_IN_SESSION(Z10AncestorsDoNotChange) {
  const Created child = co_await create(session, lab.parent() / "a");
  const Stat before = co_await stat_of(session, lab.parent());
  co_await set_data(session, child.path, "x");
  co_await create(session, child.path / "grandchild");
  co_await remove(session, child.path / "grandchild");
  EXPECT_EQ(co_await stat_of(session, lab.parent()), before);
}

CONFORMANCE_TEST_IN_SESSION(Z11TheOwnerOfAnEphemeralIsItsSession) {
  const Created plain =
      co_await create(session, lab.parent() / "e", Data(), CreateMode::kEphemeral);
  EXPECT_EQ(plain.stat.ephemeral_owner, session.id());
  EXPECT_NE(session.id(), 0);
  const Created sequential =
      co_await create(session, lab.parent() / "s-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(sequential.stat.ephemeral_owner, session.id());
}

CONFORMANCE_TEST_IN_SESSION(Z11OtherModesHaveNoOwner) {
  const Created container =
      co_await create(session, lab.parent() / "c", "d", CreateMode::kContainer);
  EXPECT_EQ(container.path, lab.parent() / "c");
  EXPECT_EQ(container.stat.ephemeral_owner, 0);
  EXPECT_EQ(container.stat.data_length, 1);
  const Created sequential =
      co_await create(session, lab.parent() / "s-", Data(), CreateMode::kPersistentSequential);
  EXPECT_EQ(sequential.stat.ephemeral_owner, 0);
  EXPECT_EQ(co_await stat_of(session, container.path), container.stat);
}

CONFORMANCE_TEST_IN_SESSION(Z11NullAndEmptyDataAreDistinct) {
  const Created null = co_await create(session, lab.parent() / "null", Data());
  const Created empty = co_await create(session, lab.parent() / "empty", "");
  EXPECT_EQ(null.stat.data_length, 0);
  EXPECT_EQ(empty.stat.data_length, 0);
  DataAndStat read = must(co_await session.get_data(null.path), "get_data");
  EXPECT_TRUE(read.data.is_null());
  read = must(co_await session.get_data(empty.path), "get_data");
  EXPECT_FALSE(read.data.is_null());
  EXPECT_EQ(read.data.view(), "");

  co_await set_data(session, null.path, "");
  co_await set_data(session, empty.path, Data());
  read = must(co_await session.get_data(null.path), "get_data");
  EXPECT_FALSE(read.data.is_null());
  read = must(co_await session.get_data(empty.path), "get_data");
  EXPECT_TRUE(read.data.is_null());
}

// The C client's own calls would truncate long paths and data to fit a buffer.
CONFORMANCE_TEST_IN_SESSION(Z26TheActualPathAndAllDataComeBack) {
  const Path path = lab.parent() / std::string(20'000, 'n');
  const std::string data(200'000, 'd');
  const Created created =
      co_await create(session, path, std::string_view(data), CreateMode::kPersistentSequential);
  EXPECT_EQ(created.path.string(), path.string() + "0000000000");
  const DataAndStat read = must(co_await session.get_data(created.path), "get_data");
  EXPECT_TRUE(read.data.view() == data);
  EXPECT_EQ(read.stat.data_length, 200'000);
}

CONFORMANCE_TEST_IN_SESSION(DataMayBeAnyBytes) {
  const std::string_view bytes("a\0b\xff\n", 5);
  co_await create(session, lab.parent() / "a", bytes);
  const DataAndStat read = must(co_await session.get_data(lab.parent() / "a"), "get_data");
  EXPECT_EQ(read.data.view(), bytes);
  EXPECT_EQ(read.stat.data_length, 5);
}

CONFORMANCE_TEST_IN_SESSION(GetChildrenListsTheNamesAndTheParentsStat) {
  Children children = must(co_await session.get_children(lab.parent()), "get_children");
  EXPECT_TRUE(children.empty());
  co_await create(session, lab.parent() / "a");
  co_await create(session, lab.parent() / "b");
  co_await create(session, lab.parent() / "a" / "below");
  children = must(co_await session.get_children(lab.parent()), "get_children");
  std::vector<std::string> names(children.begin(), children.end());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  const Stat stat = co_await stat_of(session, lab.parent());
  EXPECT_EQ(children.parent(), stat);
}

CONFORMANCE_TEST_IN_SESSION(Z12TheServersClockStampsEveryWrite) {
  const Created first = co_await create(session, lab.parent() / "a");
  const Created second = co_await create(session, lab.parent() / "b");
  EXPECT_GE(second.stat.ctime_ms, first.stat.ctime_ms);
}

static Task<void> create_again_and_read(Session& session, Path path) {
  const auto again = co_await session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
  co_await stat_of(session, path);  // A read takes no zxid.
}

CONFORMANCE_TEST_IN_SESSION(Z13AFailedWriteTakesAZxidToo) {
  EXPECT_EQ(co_await zxids_taken_by(lab, session, &create_again_and_read), 1);
}

}  // namespace lockstep::conformance
