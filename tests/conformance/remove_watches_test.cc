#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "support/session_waits.h"

// Removal of watches.
namespace lockstep::conformance {

CONFORMANCE_TEST_ON_ZNODE(Z48TheWatchesOfAZnodeCanBeRemoved) {
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, path);
  const Watch children = co_await watch_children(session, path);
  const Watch elsewhere = co_await watch_children(session, lab.parent());
  must(co_await session.remove_watches(path), "remove_watches");
  EXPECT_EQ(error_of(co_await data.fired()), Error::kNoWatcher);
  EXPECT_EQ(error_of(co_await exists.fired()), Error::kNoWatcher);
  EXPECT_EQ(error_of(co_await children.fired()), Error::kNoWatcher);
  co_await set_data(session, path, "x");
  co_await remove(session, path);
  EXPECT_EQ(co_await event_of(elsewhere), WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_ON_ZNODE(Z48DataAndChildWatchesAreRemovedSeparately) {
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, path);
  const Watch children = co_await watch_children(session, path);
  must(co_await session.remove_watches(path, WatchType::kData), "remove_watches");
  EXPECT_TRUE(data.has_fired());
  EXPECT_TRUE(exists.has_fired());
  EXPECT_FALSE(children.has_fired());
  EXPECT_EQ(error_of(co_await session.remove_watches(path, WatchType::kData)), Error::kNoWatcher);
  const Watch new_data = co_await watch_data(session, path);
  must(co_await session.remove_watches(path, WatchType::kChild), "remove_watches");
  EXPECT_EQ(error_of(co_await children.fired()), Error::kNoWatcher);
  EXPECT_FALSE(new_data.has_fired());
  co_await set_data(session, path, "x");
  EXPECT_EQ(co_await event_of(new_data), WatchEvent(EventType::kChanged, path));
}

CONFORMANCE_TEST_IN_SESSION(Z48ARemovalWithoutAWatchIsAnError) {
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "n";
  EXPECT_EQ(error_of(co_await session.remove_watches(path)), Error::kNoWatcher);
  co_await create(session, path);
  const Watch of_other = co_await watch_data(*other, path);
  EXPECT_EQ(error_of(co_await session.remove_watches(path)), Error::kNoWatcher);
  const Watch fired = co_await watch_data(session, path);
  co_await set_data(session, path, "x");
  EXPECT_EQ(co_await event_of(fired), WatchEvent(EventType::kChanged, path));
  EXPECT_EQ(error_of(co_await session.remove_watches(path)), Error::kNoWatcher);
  EXPECT_EQ(error_of(co_await session.remove_watches("/a/")), Error::kBadArguments);
  EXPECT_EQ(co_await event_of(of_other), WatchEvent(EventType::kChanged, path));
}

// A watch for the creation of a znode is a data watch.
CONFORMANCE_TEST_IN_SESSION(Z48AWatchOnNothingCanBeRemoved) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(session, path);
  must(co_await session.remove_watches(path, WatchType::kData), "remove_watches");
  co_await create(session, path);
  EXPECT_EQ(error_of(co_await exists.fired()), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z48AWatchSetAfterARemovalStays) {
  const Watch first = co_await watch_data(session, path);
  auto removing = session.remove_watches(path);
  auto watching = session.get_data_watched(path);
  must(co_await removing, "remove_watches");
  const auto second = must(co_await watching, "get_data");
  co_await set_data(session, path, "x");
  EXPECT_EQ(co_await event_of(second.watch), WatchEvent(EventType::kChanged, path));
  EXPECT_EQ(error_of(co_await first.fired()), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z55OneWatchIsRemovedAndTheOtherStays) {
  const Watch goes = co_await watch_data(session, path);
  const Watch stays = co_await watch_data(session, path);
  must(co_await session.remove_watch(goes), "remove_watch");
  EXPECT_EQ(error_of(co_await goes.fired()), Error::kNoWatcher);
  EXPECT_FALSE(stays.has_fired());
  co_await set_data(session, path, "x");
  EXPECT_EQ(co_await event_of(stays), WatchEvent(EventType::kChanged, path));
}

// The event that the server still sends reaches no watch and consumes no other one.
CONFORMANCE_TEST_ON_ZNODE(Z55TheServerKeepsItsEntry) {
  const Watch removed = co_await watch_data(session, path);
  must(co_await session.remove_watch(removed), "remove_watch");
  must(co_await session.remove_watches(path), "what the server still had");
  EXPECT_EQ(error_of(co_await session.remove_watches(path)), Error::kNoWatcher);
  const Watch children = co_await watch_children(session, path);
  const Watch data = co_await watch_data(session, path);
  must(co_await session.remove_watch(data), "remove_watch");
  co_await set_data(session, path, "x");
  co_await settle(session, path);
  EXPECT_FALSE(children.has_fired());
  EXPECT_EQ(error_of(co_await data.fired()), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z55AWatchThatHasEndedIsUnknown) {
  const Watch fired = co_await watch_data(session, path);
  co_await set_data(session, path, "x");
  co_await settle(session, path);
  EXPECT_EQ(error_of(co_await session.remove_watch(fired)), Error::kNoWatcher);
  const Watch removed = co_await watch_data(session, path);
  must(co_await session.remove_watch(removed), "remove_watch");
  EXPECT_EQ(error_of(co_await session.remove_watch(removed)), Error::kNoWatcher);
  EXPECT_EQ(error_of(co_await session.remove_watch(Watch())), Error::kNoWatcher);
}

// A reconnecting client does not set a removed watch again.
CONFORMANCE_TEST_OF_WATCHER(Z55AReconnectDoesNotRestoreARemovedWatch) {
  const Watch removed = co_await watch_data(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  must(co_await watcher.remove_watches(path, WatchType::kData), "remove_watches");
  co_await lab.disconnect(watcher);
  co_await lab.reconnect(watcher);
  EXPECT_EQ(error_of(co_await watcher.remove_watches(path, WatchType::kData)), Error::kNoWatcher);
  co_await create(actor, path / "a");
  EXPECT_EQ(co_await event_of(children), WatchEvent(EventType::kChild, path));
}

// The removal was not applied, or only to the lost connection: the client sets the watch again.
CONFORMANCE_TEST_OF_WATCHER(Z55ARemovalWhoseReplyIsLostRemovesNothing) {
  const Watch data = co_await watch_data(watcher, path);
  lab.prepare_loss(watcher, Lab::Loss::kReplies);
  auto removing = watcher.remove_watches(path);
  lab.lose_connection(watcher, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await removing), Error::kConnectionLoss);
  must(co_await watcher.connected(), "connected");
  co_await settle(watcher, path);
  EXPECT_FALSE(data.has_fired());
  co_await set_data(actor, path, "x");
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kChanged, path));
}

CONFORMANCE_TEST(Z55RemovalWorksWithAChroot) {
  const auto outside = co_await lab.open();
  const Path app = lab.parent() / "app";
  co_await create(*outside, app);
  Client& client = lab.add_client(Lab::kLongSessionTimeout, app);
  const auto session = must(co_await client.session(Context()), "open");
  const Watch root = co_await watch_data(*session, "/");
  const Watch one = co_await watch_children(*session, "/");
  must(co_await session->remove_watches("/", WatchType::kData), "remove_watches");
  must(co_await session->remove_watch(one), "remove_watch");
  co_await set_data(*outside, app, "x");
  co_await settle(*session, "/");
  EXPECT_EQ(error_of(co_await root.fired()), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z72RemovalFailsAfterTheEndOfTheSession) {
  const Watch data = co_await watch_data(session, path);
  must(co_await session.close(), "close");
  EXPECT_EQ(error_of(co_await session.remove_watches(path)), Error::kClosing);
  EXPECT_EQ(error_of(co_await session.remove_watch(data)), Error::kClosing);
  EXPECT_EQ(error_of(co_await data.fired()), Error::kClosing);
}

}  // namespace lockstep::conformance
