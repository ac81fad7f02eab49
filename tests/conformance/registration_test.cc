#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "support/session_waits.h"

// How long the server and the client keep the registration of a watch.
namespace lockstep::conformance {

CONFORMANCE_TEST(Z38EachConnectionHasItsOwnEntries) {
  const auto first = co_await lab.open();
  const auto second = co_await lab.open();
  const auto leaving = co_await lab.open();
  const Path path = lab.parent() / "n";
  co_await create(*first, path);
  const Watch at_first = co_await watch_data(*first, path);
  const Watch at_second = co_await watch_data(*second, path);
  const Watch at_leaving = co_await watch_data(*leaving, path);
  must(co_await leaving->close(), "close");
  co_await set_data(*first, path, "x");
  EXPECT_TRUE(at_first.has_fired());
  const WatchEvent event = co_await event_of(at_second);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, path));
  EXPECT_EQ(error_of(co_await at_leaving.fired()), Error::kClosing);
  // The other session's event has not consumed it.
  const Watch again = co_await watch_data(*first, path);
  const Watch other_again = co_await watch_data(*second, path);
  co_await set_data(*second, path, "y");
  EXPECT_TRUE(other_again.has_fired());
  co_await settle(*first, path);
  EXPECT_TRUE(again.has_fired());
}

// The server keeps data watches and child watches in two tables: an event consumes only its own.
CONFORMANCE_TEST_OF_WATCHER(Z38RepeatedRegistrationsCollapseInEachTable) {
  const Watch data = co_await watch_data(watcher, path);
  const Watch exists = co_await watch_exists(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  const Watch children_again = co_await watch_children(watcher, path);
  co_await create(actor, path / "a");
  EXPECT_EQ(co_await event_of(children_again), WatchEvent(EventType::kChild, path));
  EXPECT_TRUE(children.has_fired());
  const Watch rest = co_await watch_children(watcher, path);
  co_await set_data(actor, path, "x");
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kChanged, path));
  co_await settle(watcher, path);
  EXPECT_TRUE(exists.has_fired());
  EXPECT_FALSE(rest.has_fired());
}

// exists registers in one of two tables, which differ after a reconnect (Z46).
CONFORMANCE_TEST_IN_SESSION(Z49ExistsRegistersByWhatItFound) {
  const auto actor = co_await lab.open();
  const Path there = lab.parent() / "there";
  const Path missing = lab.parent() / "missing";
  co_await create(*actor, there);
  const Watch found = co_await watch_exists(session, there);
  const Watch not_found = co_await watch_exists(session, missing);
  co_await lab.disconnect(session);
  co_await remove(*actor, there);
  co_await create(*actor, there);
  co_await create(*actor, missing);
  co_await lab.reconnect(session);
  EXPECT_EQ(co_await event_of(found), WatchEvent(EventType::kChanged, there));
  EXPECT_EQ(co_await event_of(not_found), WatchEvent(EventType::kCreated, missing));
}

// A watch is notified of the session's end, but not of what that did to the znode.
CONFORMANCE_TEST_IN_SESSION(Z54TheExpiryEndsEveryWatchWithoutANodeEvent) {
  const Path own = lab.parent() / "own";
  co_await create(session, own, Data(), CreateMode::kEphemeral);
  const Watch data = co_await watch_data(session, own);
  const Watch exists = co_await watch_exists(session, lab.parent() / "missing");
  const Watch children = co_await watch_children(session, lab.parent());
  co_await lab.kill(session);
  co_await support::StateReached(session, SessionState::kExpired);
  auto end = co_await data.fired();
  EXPECT_EQ(error_of(end), Error::kSessionExpired);
  end = co_await exists.fired();
  EXPECT_EQ(error_of(end), Error::kSessionExpired);
  end = co_await children.fired();
  EXPECT_EQ(error_of(end), Error::kSessionExpired);
}

}  // namespace lockstep::conformance
