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
  const auto of_data = co_await data.fired();
  EXPECT_EQ(error_of(of_data), Error::kNoWatcher);
  const auto of_exists = co_await exists.fired();
  EXPECT_EQ(error_of(of_exists), Error::kNoWatcher);
  const auto of_children = co_await children.fired();
  EXPECT_EQ(error_of(of_children), Error::kNoWatcher);
  co_await set_data(session, path, "x");
  co_await remove(session, path);
  const WatchEvent event = co_await event_of(elsewhere);
  EXPECT_EQ(event, WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_ON_ZNODE(Z48DataAndChildWatchesAreRemovedSeparately) {
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, path);
  const Watch children = co_await watch_children(session, path);
  must(co_await session.remove_watches(path, WatchType::kData), "remove_watches");
  EXPECT_TRUE(data.has_fired());
  EXPECT_TRUE(exists.has_fired());
  EXPECT_FALSE(children.has_fired());
  const auto again = co_await session.remove_watches(path, WatchType::kData);
  EXPECT_EQ(error_of(again), Error::kNoWatcher);
  const Watch new_data = co_await watch_data(session, path);
  must(co_await session.remove_watches(path, WatchType::kChild), "remove_watches");
  const auto outcome = co_await children.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
  EXPECT_FALSE(new_data.has_fired());
  co_await set_data(session, path, "x");
  const WatchEvent event = co_await event_of(new_data);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
}

CONFORMANCE_TEST(Z48ARemovalWithoutAWatchIsAnError) {
  const auto session = co_await lab.open();
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "n";
  const auto of_nothing = co_await session->remove_watches(path);
  EXPECT_EQ(error_of(of_nothing), Error::kNoWatcher);
  co_await create(*session, path);
  const Watch of_other = co_await watch_data(*other, path);
  const auto of_none = co_await session->remove_watches(path);
  EXPECT_EQ(error_of(of_none), Error::kNoWatcher);
  const Watch fired = co_await watch_data(*session, path);
  co_await set_data(*session, path, "x");
  const WatchEvent event = co_await event_of(fired);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
  const auto of_fired = co_await session->remove_watches(path);
  EXPECT_EQ(error_of(of_fired), Error::kNoWatcher);
  const auto malformed = co_await session->remove_watches("/a/");
  EXPECT_EQ(error_of(malformed), Error::kBadArguments);
  const WatchEvent others = co_await event_of(of_other);
  EXPECT_EQ(others, WatchEvent(EventType::kChanged, path));
}

// A watch for the creation of a znode is a data watch.
CONFORMANCE_TEST(Z48AWatchOnNothingCanBeRemoved) {
  const auto session = co_await lab.open();
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(*session, path);
  must(co_await session->remove_watches(path, WatchType::kData), "remove_watches");
  co_await create(*session, path);
  const auto outcome = co_await exists.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z48AWatchSetAfterARemovalStays) {
  const Watch first = co_await watch_data(session, path);
  auto removing = session.remove_watches(path);
  auto watching = session.get_data_watched(path);
  must(co_await removing, "remove_watches");
  const auto second = must(co_await watching, "get_data");
  co_await set_data(session, path, "x");
  const WatchEvent event = co_await event_of(second.watch);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
  const auto outcome = co_await first.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z55OneWatchIsRemovedAndTheOtherStays) {
  const Watch goes = co_await watch_data(session, path);
  const Watch stays = co_await watch_data(session, path);
  must(co_await session.remove_watch(goes), "remove_watch");
  const auto outcome = co_await goes.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
  EXPECT_FALSE(stays.has_fired());
  co_await set_data(session, path, "x");
  const WatchEvent event = co_await event_of(stays);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
}

// The event that the server still sends reaches no watch and consumes no other one.
CONFORMANCE_TEST_ON_ZNODE(Z55TheServerKeepsItsEntry) {
  const Watch removed = co_await watch_data(session, path);
  must(co_await session.remove_watch(removed), "remove_watch");
  must(co_await session.remove_watches(path), "what the server still had");
  const auto none = co_await session.remove_watches(path);
  EXPECT_EQ(error_of(none), Error::kNoWatcher);
  const Watch children = co_await watch_children(session, path);
  const Watch data = co_await watch_data(session, path);
  must(co_await session.remove_watch(data), "remove_watch");
  co_await set_data(session, path, "x");
  co_await settle(session, path);
  EXPECT_FALSE(children.has_fired());
  const auto outcome = co_await data.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z55AWatchThatHasEndedIsUnknown) {
  const Watch fired = co_await watch_data(session, path);
  co_await set_data(session, path, "x");
  co_await settle(session, path);
  const auto after_event = co_await session.remove_watch(fired);
  EXPECT_EQ(error_of(after_event), Error::kNoWatcher);
  const Watch removed = co_await watch_data(session, path);
  must(co_await session.remove_watch(removed), "remove_watch");
  const auto twice = co_await session.remove_watch(removed);
  EXPECT_EQ(error_of(twice), Error::kNoWatcher);
  const auto of_nothing = co_await session.remove_watch(Watch());
  EXPECT_EQ(error_of(of_nothing), Error::kNoWatcher);
}

// A reconnecting client does not set a removed watch again.
CONFORMANCE_TEST_OF_WATCHER(Z55AReconnectDoesNotRestoreARemovedWatch) {
  const Watch removed = co_await watch_data(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  must(co_await watcher.remove_watches(path, WatchType::kData), "remove_watches");
  co_await lab.disconnect(watcher);
  co_await lab.reconnect(watcher);
  const auto none = co_await watcher.remove_watches(path, WatchType::kData);
  EXPECT_EQ(error_of(none), Error::kNoWatcher);
  co_await create(actor, path / "a");
  const WatchEvent event = co_await event_of(children);
  EXPECT_EQ(event, WatchEvent(EventType::kChild, path));
}

// The removal was not applied, or only to the lost connection: the client sets the watch again.
CONFORMANCE_TEST_OF_WATCHER(Z55ARemovalWhoseReplyIsLostRemovesNothing) {
  const Watch data = co_await watch_data(watcher, path);
  lab.prepare_loss(watcher, Lab::Loss::kReplies);
  auto removing = watcher.remove_watches(path);
  lab.lose_connection(watcher, Lab::Loss::kReplies);
  const auto lost = co_await removing;
  EXPECT_EQ(error_of(lost), Error::kConnectionLoss);
  must(co_await watcher.connected(), "connected");
  co_await settle(watcher, path);
  EXPECT_FALSE(data.has_fired());
  co_await set_data(actor, path, "x");
  const WatchEvent event = co_await event_of(data);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
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
  const auto outcome = co_await root.fired();
  EXPECT_EQ(error_of(outcome), Error::kNoWatcher);
}

CONFORMANCE_TEST_ON_ZNODE(Z72RemovalFailsAfterTheEndOfTheSession) {
  const Watch data = co_await watch_data(session, path);
  must(co_await session.close(), "close");
  const auto all = co_await session.remove_watches(path);
  EXPECT_EQ(error_of(all), Error::kClosing);
  const auto one = co_await session.remove_watch(data);
  EXPECT_EQ(error_of(one), Error::kClosing);
  const auto outcome = co_await data.fired();
  EXPECT_EQ(error_of(outcome), Error::kClosing);
}

}  // namespace lockstep::conformance
