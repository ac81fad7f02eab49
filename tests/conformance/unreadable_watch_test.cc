#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "conformance/identities.h"

// Z80: ZooKeeper 3.8.4, and Debian's 3.8.0, send no event to a watcher that may not read the znode.
namespace lockstep::conformance {

namespace {

// Every permission except read.
Creation unreadable() {
  return {CreateMode::kPersistent, anyone(permission::kAll & ~permission::kRead)};
}

}  // namespace

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z80TheCreationOfAnUnreadableZnodeSendsNoEvent, watcher, actor) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await create(actor, path, Data(), unreadable());
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
  co_await settle(watcher, path);
  EXPECT_FALSE(exists.has_fired());
}

// The server consumes the watch although it sends no event.
CONFORMANCE_TEST_IN_TWO_SESSIONS(Z80AnUndeliveredEventConsumesTheWatch, watcher, actor) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(watcher, path);
  co_await create(actor, path, Data(), unreadable());
  co_await set_acl(actor, path, Acl::open());
  co_await set_data(actor, path, "x");
  co_await settle(watcher, path);
  EXPECT_FALSE(exists.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z80TheDataOfAnUnreadableZnodeSendsNoEvent) {
  const Watch data = co_await watch_data(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await set_acl(actor, path, unreadable().acl);
  co_await set_data(actor, path, "x");
  co_await settle(watcher, path);
  EXPECT_FALSE(data.has_fired());
  co_await remove(actor, path);
  co_await event_of(parent);
  co_await settle(watcher, path);
  EXPECT_FALSE(data.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z80TheRemovalOfAnUnreadableZnodeSendsNoEvent) {
  const Watch exists = co_await watch_exists(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await set_acl(actor, path, unreadable().acl);
  co_await remove(actor, path);
  co_await event_of(parent);
  co_await settle(watcher, path);
  EXPECT_FALSE(exists.has_fired());
  EXPECT_FALSE(children.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z80TheChildrenOfAnUnreadableZnodeSendNoEvent) {
  const Watch children = co_await watch_children(watcher, path);
  const Watch child = co_await watch_exists(watcher, path / "child");
  co_await set_acl(actor, path, unreadable().acl);
  co_await create(actor, path / "child");
  EXPECT_EQ(co_await event_of(child), WatchEvent(EventType::kCreated, path / "child"));
  co_await settle(watcher, path);
  EXPECT_FALSE(children.has_fired());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z80AWatcherThatMayReadGetsTheEvent, watcher, actor) {
  co_await add_auth(watcher, kAnn);
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(watcher, path);
  const Creation creation(CreateMode::kPersistent, digest(permission::kRead, kAnnId));
  co_await create(actor, path, Data(), creation);
  EXPECT_EQ(co_await event_of(exists), WatchEvent(EventType::kCreated, path));
}

// After a reconnect the client sets its watches again, and the server reports changes without
// looking at ACLs.
CONFORMANCE_TEST_IN_TWO_SESSIONS(Z80AfterAReconnectUnreadableZnodesAreReported, watcher, actor) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(watcher, path);
  co_await create(actor, path, Data(), unreadable());
  co_await settle(watcher, path);
  EXPECT_FALSE(exists.has_fired());
  co_await lab.disconnect(watcher);
  co_await lab.reconnect(watcher);
  EXPECT_EQ(co_await event_of(exists), WatchEvent(EventType::kCreated, path));
}

}  // namespace lockstep::conformance
