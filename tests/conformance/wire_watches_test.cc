// Persistent and recursive watches.
#include <gmock/gmock.h>

#include <algorithm>

#include "conformance/wire_lab.h"

namespace lockstep::conformance {
namespace {

using testing::ElementsAre;
using wire::Op;

constexpr std::int32_t kPersistent = 0;
constexpr std::int32_t kRecursive = 1;
constexpr std::int32_t kNoWatcher = -121;

wire::WatchesRequest watch(std::string path, std::int32_t type) {
  return {.path = std::move(path), .type = type};
}

std::vector<std::string> events(WireSession& session, int count) {
  std::vector<std::string> events;
  events.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) events.push_back(session.event());
  return events;
}

TEST_P(WireConformance, Z47APersistentWatchFiresEachTimeForDataAndChildren) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  // A persistent watch does not need a znode.
  const wire::Reply added = watcher.ask(Op::kAddWatch, watch(root, kPersistent));
  EXPECT_EQ(added.err, 0);
  EXPECT_EQ(std::get<wire::ErrorReply>(added.body).err, 0);
  for (int round = 0; round < 2; ++round) {
    actor.create(root);
    actor.set_data(root);
    actor.set_data(root);
    actor.create(root + "/a");
    actor.set_data(root + "/a");
    actor.create(root + "/a/b");
    actor.remove(root + "/a/b");
    actor.remove(root + "/a");
    actor.remove(root);
    EXPECT_THAT(events(watcher, 6),
                ElementsAre("created " + root, "changed " + root, "changed " + root,
                            "child " + root, "child " + root, "deleted " + root));
  }
  watcher.expect_quiet();
}

TEST_P(WireConformance, Z47ARecursiveWatchHearsOfAllDescendantsAndOfNoChildren) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kRecursive)), 0);
  for (int round = 0; round < 2; ++round) {
    actor.create(root);
    actor.create(root + "/a");
    actor.create(root + "/a/b");
    actor.set_data(root + "/a/b");
    actor.remove(root + "/a/b");
    actor.remove(root + "/a");
    actor.remove(root);
    EXPECT_THAT(events(watcher, 7),
                ElementsAre("created " + root, "created " + root + "/a", "created " + root + "/a/b",
                            "changed " + root + "/a/b", "deleted " + root + "/a/b",
                            "deleted " + root + "/a", "deleted " + root));
  }
  actor.create(root + "x");
  actor.remove(root + "x");
  watcher.expect_quiet();
}

// A client that watches several ancestors of a znode gets one event for a change.
TEST_P(WireConformance, Z47OneConnectionHearsOfAChangeOnce) {
  WireSession session(*lab);
  session.create(root);
  session.create(root + "/a");
  EXPECT_EQ(session.error_of(Op::kAddWatch, watch("/", kRecursive)), 0);
  EXPECT_EQ(session.error_of(Op::kAddWatch, watch(root, kRecursive)), 0);
  EXPECT_EQ(session.error_of(Op::kAddWatch, watch(root + "/a", kPersistent)), 0);
  WireSession actor(*lab);
  actor.set_data(root + "/a");
  actor.remove(root + "/a");
  EXPECT_THAT(events(session, 2), ElementsAre("changed " + root + "/a", "deleted " + root + "/a"));
  session.expect_quiet();
}

TEST_P(WireConformance, Z47AOneShotWatchElsewhereStaysOneShot) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kPersistent)), 0);
  EXPECT_EQ(watcher.error_of(Op::kGetChildren, a_read("/", true)), 0);
  actor.set_data(root);
  actor.remove(root);
  actor.create(root);
  EXPECT_THAT(events(watcher, 4),
              ElementsAre("changed " + root, "deleted " + root, "child /", "created " + root));
  watcher.expect_quiet();
}

// ZOOKEEPER-4466: each table has only one mode per path.
TEST_P(WireConformance, Z47APlainWatchTurnsAPersistentOneIntoItsOwnKind) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kPersistent)), 0);
  EXPECT_EQ(watcher.error_of(Op::kGetData, a_read(root, true)), 0);
  actor.set_data(root);
  actor.set_data(root);
  actor.create(root + "/a");  // The table of child watches has kept its own mode.
  actor.remove(root + "/a");
  EXPECT_THAT(events(watcher, 3), ElementsAre("changed " + root, "child " + root, "child " + root));
  watcher.expect_quiet();
}

TEST_P(WireConformance, Z47APersistentWatchReplacesAPlainOneAndTheLastKindCounts) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(watcher.error_of(Op::kGetData, a_read(root, true)), 0);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kRecursive)), 0);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kPersistent)), 0);
  actor.create(root + "/a");
  actor.set_data(root);
  actor.set_data(root);
  EXPECT_THAT(events(watcher, 3),
              ElementsAre("child " + root, "changed " + root, "changed " + root));
  watcher.expect_quiet();
}

TEST_P(WireConformance, Z47PersistentWatchesAreRemovedByThePlainTypes) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  actor.create(root);
  for (const std::int32_t mode : {kPersistent, kRecursive}) {
    EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, mode)), 0);
    for (const std::int32_t type : {1, 2, 3}) {
      EXPECT_EQ(watcher.error_of(Op::kCheckWatches, watch(root, type)), 0) << type;
    }
    // A recursive watch does not count as a watch on a descendant.
    EXPECT_EQ(watcher.error_of(Op::kCheckWatches, watch(root + "/a", 3)), kNoWatcher);
    EXPECT_EQ(watcher.error_of(Op::kRemoveWatches, watch(root + "/a", 3)), kNoWatcher);
    EXPECT_EQ(watcher.error_of(Op::kRemoveWatches, watch(root, 3)), 0);
    EXPECT_EQ(watcher.error_of(Op::kRemoveWatches, watch(root, 3)), kNoWatcher);
    EXPECT_EQ(watcher.error_of(Op::kCheckWatches, watch(root, 3)), kNoWatcher);
  }
  actor.set_data(root);
  watcher.expect_quiet();
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kPersistent)), 0);
  EXPECT_EQ(watcher.error_of(Op::kRemoveWatches, watch(root, 2)), 0);
  actor.set_data(root);
  actor.create(root + "/a");
  EXPECT_THAT(events(watcher, 1), ElementsAre("child " + root));
  for (const std::int32_t type : {0, 4, 5}) {
    EXPECT_EQ(watcher.error_of(Op::kRemoveWatches, watch(root, type)), -5);
  }
}

// The watch may belong to any connection.
TEST_P(WireConformance, Z48ACheckFindsTheWatchOfAnyConnection) {
  WireSession session(*lab);
  WireSession other(*lab);
  session.create(root);
  EXPECT_EQ(session.error_of(Op::kCheckWatches, watch(root, 2)), kNoWatcher);
  EXPECT_EQ(other.error_of(Op::kGetData, a_read(root, true)), 0);
  EXPECT_EQ(session.error_of(Op::kCheckWatches, watch(root, 2)), 0);
  EXPECT_EQ(session.error_of(Op::kCheckWatches, watch(root, 1)), kNoWatcher);
  EXPECT_EQ(session.error_of(Op::kRemoveWatches, watch(root, 2)), kNoWatcher);
}

TEST_P(WireConformance, Z47AnUnknownModeIsAMarshallingError) {
  WireSession session(*lab);
  for (const std::int32_t mode : {2, -1}) {
    EXPECT_EQ(session.error_of(Op::kAddWatch, watch(root, mode)), -5);
  }
}

TEST_P(WireConformance, Z47PersistentWatchesEndWithTheConnectionAndAreSetAgain) {
  WireSession first(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(first.error_of(Op::kAddWatch, watch(root, kPersistent)), 0);
  EXPECT_EQ(first.error_of(Op::kAddWatch, watch(root + "/r", kRecursive)), 0);
  first.leave();
  actor.set_data(root);
  WireSession again(*lab, first);
  actor.set_data(root);
  again.expect_quiet();
  // Unlike plain watches, they do not report missed changes.
  wire::SetWatches2 watches{.relative_zxid = first.last_zxid()};
  for (auto* const list : {&watches.data, &watches.exist, &watches.child}) list->emplace();
  watches.persistent.emplace().emplace_back(root);
  watches.persistent_recursive.emplace().emplace_back(root + "/r");
  const wire::Reply set = again.ask(Op::kSetWatches2, watches);
  EXPECT_EQ(set.err, 0);
  EXPECT_EQ(set.xid, wire::kSetWatchesXid);
  for (int i = 0; i < 2; ++i) {
    actor.set_data(root);
    actor.create(root + "/r");
    actor.create(root + "/r/a");
    actor.remove(root + "/r/a");
    actor.remove(root + "/r");
    EXPECT_THAT(events(again, 7),
                ElementsAre("changed " + root, "created " + root + "/r", "child " + root,
                            "created " + root + "/r/a", "deleted " + root + "/r/a",
                            "deleted " + root + "/r", "child " + root));
  }
}

TEST_P(WireConformance, Z46SetWatches2ReportsWhatPlainWatchesHaveMissed) {
  WireSession first(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(first.error_of(Op::kGetData, a_read(root, true)), 0);
  first.leave();
  actor.set_data(root);
  WireSession again(*lab, first);
  wire::SetWatches2 watches{.relative_zxid = first.last_zxid()};
  for (auto* const list : {&watches.data, &watches.exist, &watches.child, &watches.persistent,
                           &watches.persistent_recursive}) {
    list->emplace();
  }
  watches.data->emplace_back(root);
  again.send(Op::kSetWatches2, watches);
  EXPECT_EQ(again.event(), "changed " + root);
  EXPECT_EQ(again.reply(Op::kSetWatches2).xid, wire::kSetWatchesXid);
}

// Z80 holds for descendants too.
TEST_P(WireConformance, Z80ARecursiveWatchIsSilentAboutZnodesThatMayNotBeRead) {
  WireSession watcher(*lab);
  WireSession actor(*lab);
  actor.create(root);
  EXPECT_EQ(watcher.error_of(Op::kAddWatch, watch(root, kRecursive)), 0);
  wire::CreateRequest closed = a_create(root + "/closed");
  closed.acl->front().perms = 30;
  EXPECT_EQ(actor.error_of(Op::kCreate, closed), 0);
  actor.set_data(root + "/closed");
  actor.create(root + "/open");
  EXPECT_THAT(events(watcher, 1), ElementsAre("created " + root + "/open"));
  watcher.expect_quiet();
}

}  // namespace
}  // namespace lockstep::conformance
