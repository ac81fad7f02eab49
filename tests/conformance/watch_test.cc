#include <gtest/gtest.h>

#include <utility>

#include "conformance/conformance.h"
#include "lockstep/sleep.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

namespace {

// Every kind of watch on one znode, and one on its parent's children.
class Watches {
 public:
  Watches(Watch on_data, Watch on_exists, Watch on_children, Watch on_parent)
      : data(std::move(on_data)),
        exists(std::move(on_exists)),
        children(std::move(on_children)),
        parent(std::move(on_parent)) {}
  Watch data;
  Watch exists;
  Watch children;
  Watch parent;
};

Task<Watches> watch_all(Session& session, Path path) {
  Watch data = co_await watch_data(session, path);
  Watch exists = co_await watch_exists(session, path);
  Watch children = co_await watch_children(session, path);
  Watch parent = co_await watch_children(session, path.parent());
  co_return Watches(std::move(data), std::move(exists), std::move(children), std::move(parent));
}

}  // namespace

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z40CreateFiresExistsAndTheParentsChildWatch, watcher, actor) {
  const Path path = lab.parent() / "n";
  auto missing = must(co_await watcher.exists_watched(path), "exists_watched");
  EXPECT_FALSE(missing.value.has_value());
  const Watch parent = co_await watch_children(watcher, lab.parent());
  const Watch parent_data = co_await watch_data(watcher, lab.parent());
  co_await create(actor, path);
  EXPECT_EQ(co_await event_of(missing.watch), WatchEvent(EventType::kCreated, path));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
  co_await settle(watcher, path);
  EXPECT_FALSE(parent_data.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z40SetDataFiresDataWatchesOnly) {
  const Watches watches = co_await watch_all(watcher, path);
  const Watch parent_data = co_await watch_data(watcher, path.parent());
  co_await set_data(actor, path, "x");
  EXPECT_EQ(co_await event_of(watches.data), WatchEvent(EventType::kChanged, path));
  EXPECT_EQ(co_await event_of(watches.exists), WatchEvent(EventType::kChanged, path));
  co_await settle(watcher, path);
  EXPECT_FALSE(watches.children.has_fired());
  EXPECT_FALSE(watches.parent.has_fired());
  EXPECT_FALSE(parent_data.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z51AChangeLeavesChildWatchesArmed) {
  const Watches watches = co_await watch_all(watcher, path);
  co_await set_data(actor, path, "x");
  co_await event_of(watches.data);
  co_await event_of(watches.exists);
  co_await settle(watcher, path);
  EXPECT_FALSE(watches.children.has_fired());
  co_await create(actor, path / "child");
  EXPECT_EQ(co_await event_of(watches.children), WatchEvent(EventType::kChild, path));
}

CONFORMANCE_TEST_OF_WATCHER(Z51AChildEventLeavesDataWatchesArmed) {
  const Watches watches = co_await watch_all(watcher, path);
  co_await create(actor, path / "child");
  co_await event_of(watches.children);
  co_await settle(watcher, path);
  EXPECT_FALSE(watches.data.has_fired());
  EXPECT_FALSE(watches.exists.has_fired());
  co_await set_data(actor, path, "x");
  EXPECT_EQ(co_await event_of(watches.data), WatchEvent(EventType::kChanged, path));
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z51ACreationReachesEveryExistsWatch, watcher, actor) {
  const Path path = lab.parent() / "n";
  const Watch first = co_await watch_exists(watcher, path);
  const Watch second = co_await watch_exists(watcher, path);
  co_await create(actor, path);
  EXPECT_EQ(co_await event_of(first), WatchEvent(EventType::kCreated, path));
  EXPECT_EQ(co_await event_of(second), WatchEvent(EventType::kCreated, path));
}

CONFORMANCE_TEST_OF_WATCHER(Z40RemoveFiresEverything) {
  const Watches watches = co_await watch_all(watcher, path);
  co_await remove(actor, path);
  EXPECT_EQ(co_await event_of(watches.data), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(watches.exists), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(watches.children), WatchEvent(EventType::kDeleted, path));
  const WatchEvent parent = co_await event_of(watches.parent);
  EXPECT_EQ(parent, WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_OF_WATCHER(Z40AChildWatchAloneHearsOfTheRemoval) {
  const Watch children = co_await watch_children(watcher, path);
  co_await remove(actor, path);
  EXPECT_EQ(co_await event_of(children), WatchEvent(EventType::kDeleted, path));
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z40GrandchildrenFireNothing, watcher, actor) {
  co_await create(actor, lab.parent() / "n");
  const Watch data = co_await watch_data(watcher, lab.parent());
  const Watch children = co_await watch_children(watcher, lab.parent());
  co_await create(actor, lab.parent() / "n" / "grandchild");
  co_await set_data(actor, lab.parent() / "n" / "grandchild", "x");
  co_await remove(actor, lab.parent() / "n" / "grandchild");
  co_await settle(watcher, lab.parent());
  EXPECT_FALSE(data.has_fired());
  EXPECT_FALSE(children.has_fired());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z40TheEndOfASessionFiresLikeARemoval, watcher, owner) {
  const Path path = lab.parent() / "e";
  co_await create(owner, path, Data(), CreateMode::kEphemeral);
  const Watches watches = co_await watch_all(watcher, path);
  must(co_await owner.close(), "close");
  EXPECT_EQ(co_await event_of(watches.data), WatchEvent(EventType::kDeleted, path));
  const WatchEvent parent = co_await event_of(watches.parent);
  EXPECT_EQ(parent, WatchEvent(EventType::kChild, lab.parent()));
}

// The writes are the watcher's own, so no event arrives before the test awaits it.
CONFORMANCE_TEST_IN_SESSION(Z41TheZnodesEventComesBeforeTheParents) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(session, path);
  const Watch created_child = co_await watch_children(session, lab.parent());
  auto creation = session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ((co_await event_of(exists)).type(), EventType::kCreated);
  EXPECT_FALSE(created_child.has_fired());
  co_await event_of(created_child);
  must(co_await creation, "create");

  const Watch data = co_await watch_data(session, path);
  const Watch removed_child = co_await watch_children(session, lab.parent());
  auto removal = session.remove(path);
  EXPECT_EQ((co_await event_of(data)).type(), EventType::kDeleted);
  EXPECT_FALSE(removed_child.has_fired());
  co_await event_of(removed_child);
  must(co_await removal, "remove");
}

CONFORMANCE_TEST_ON_ZNODE(Z42AWatchFiresOnce) {
  const Watch first = co_await watch_data(session, path);
  co_await set_data(session, path, "x");
  const Watch second = co_await watch_data(session, path);
  co_await remove(session, path);
  EXPECT_EQ((co_await event_of(first)).type(), EventType::kChanged);
  EXPECT_EQ((co_await event_of(second)).type(), EventType::kDeleted);
  EXPECT_EQ((co_await event_of(first)).type(), EventType::kChanged);
}

CONFORMANCE_TEST_OF_WATCHER(Z42RecreatingAWatchedZnodeIsOneEvent) {
  const Watch data = co_await watch_data(watcher, path);
  co_await remove(actor, path);
  co_await create(actor, path);
  EXPECT_EQ((co_await event_of(data)).type(), EventType::kDeleted);
}

CONFORMANCE_TEST_ON_ZNODE(Z43AnOwnWriteFiresBeforeItsReply) {
  const Watch data = co_await watch_data(session, path);
  auto set = session.set_data(path, "x");
  co_await event_of(data);
  EXPECT_FALSE(set.await_ready());
  must(co_await set, "set_data");

  const Watch children = co_await watch_children(session, lab.parent());
  auto removal = session.remove(path);
  co_await event_of(children);
  EXPECT_FALSE(removal.await_ready());
  must(co_await removal, "remove");
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z44TheEventComesBeforeNewerData, watcher, actor) {
  const Path path = lab.parent() / "n";
  co_await create(actor, path, "old");
  for (int round = 0; round < 20; ++round) {
    DataAndStat read = must(co_await watcher.get_data(path), "get_data");
    const std::int32_t before = read.stat.version;
    const Watch watch = co_await watch_data(watcher, path);
    auto set = actor.set_data(path, "new");
    for (int reads = 0; reads < 10; ++reads) {
      read = must(co_await watcher.get_data(path), "get_data");
      const bool newer = read.stat.version > before;
      EXPECT_TRUE(watch.has_fired() || !newer);
    }
    must(co_await set, "set_data");
    co_await settle(watcher, path);
    EXPECT_TRUE(watch.has_fired());
  }
}

// The failed reads registered nothing that the create could fire.
CONFORMANCE_TEST_IN_SESSION(Z39FailedReadsLeaveNoWatch) {
  const Path path = lab.parent() / "n";
  EXPECT_EQ(error_of(co_await session.get_data_watched(path)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.get_children_watched(path)), Error::kNoNode);
  const Watch exists = co_await watch_exists(session, path);
  co_await create(session, path);
  EXPECT_EQ((co_await event_of(exists)).type(), EventType::kCreated);
}

CONFORMANCE_TEST_ON_ZNODE(ReadsWithoutAWatchSetNone) {
  must(co_await session.get_data(path), "get_data");
  must(co_await session.exists(path), "exists");
  must(co_await session.get_children(path), "get_children");
  const Watch child = co_await watch_children(session, path);
  co_await set_data(session, path, "x");
  co_await settle(session, path);
  EXPECT_FALSE(child.has_fired());
}

CONFORMANCE_TEST_ON_ZNODE(Z50EveryRegistrationGetsOneEvent) {
  const Watch first = co_await watch_data(session, path);
  const Watch second = co_await watch_data(session, path);
  const Watch third = co_await watch_exists(session, path);
  co_await set_data(session, path, "x");
  EXPECT_TRUE(first.has_fired());
  EXPECT_TRUE(second.has_fired());
  EXPECT_TRUE(third.has_fired());
}

CONFORMANCE_TEST_ON_ZNODE(Z52SessionEventsConsumeNoWatch) {
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, lab.parent() / "missing");
  const Watch children = co_await watch_children(session, path);
  for (int times = 0; times < 2; ++times) {
    lab.cut(session);
    co_await support::StateReached(session, SessionState::kSuspended);
    must(co_await session.connected(), "connected");
  }
  co_await settle(session, path);
  EXPECT_FALSE(data.has_fired());
  EXPECT_FALSE(exists.has_fired());
  EXPECT_FALSE(children.has_fired());
  co_await create(session, path / "child");
  co_await set_data(session, path, "x");
  co_await create(session, lab.parent() / "missing");
  EXPECT_TRUE(data.has_fired());
  EXPECT_TRUE(exists.has_fired());
  EXPECT_TRUE(children.has_fired());
}

CONFORMANCE_TEST_ON_ZNODE(ADroppedWatchIsForgotten) {
  {
    const Watch dropped = co_await watch_data(session, path);
    static_cast<void>(session.get_data_watched(path));  // Dropped before its reply.
  }
  const Watch kept = co_await watch_data(session, path);
  co_await set_data(session, path, "x");
  EXPECT_TRUE(kept.has_fired());
}

CONFORMANCE_TEST_ON_ZNODE(AWatchCanBeWaitedForAgain) {
  const Watch data = co_await watch_data(session, path);
  const auto soon = lab.executor().now() + std::chrono::milliseconds(5);
  EXPECT_EQ(error_of(co_await data.fired(soon)), Error::kTimedOut);
  co_await set_data(session, path, "x");
  EXPECT_EQ(error_of(co_await data.fired()), std::nullopt);
}

}  // namespace lockstep::conformance
