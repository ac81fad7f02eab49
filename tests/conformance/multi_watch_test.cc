#include <gtest/gtest.h>

#include <chrono>

#include "conformance/conformance.h"
#include "lockstep/sleep.h"

// Watch events of a multi.
namespace lockstep::conformance {

namespace {}  // namespace

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z40ACreateInAMultiFiresLikeACreate, watcher, actor) {
  const Path path = lab.parent() / "n";
  const Watch exists = co_await watch_exists(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await commit(actor, Transaction().check(lab.parent()).create(path, Data(), kPlain));
  EXPECT_EQ(co_await event_of(exists), WatchEvent(EventType::kCreated, path));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_OF_WATCHER(Z40ASetDataInAMultiFiresLikeASetData) {
  const Watch data = co_await watch_data(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await commit(actor, Transaction().check(path).set_data(path, "x"));
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kChanged, path));
  co_await settle(watcher, path);
  EXPECT_FALSE(children.has_fired());
  EXPECT_FALSE(parent.has_fired());
}

CONFORMANCE_TEST_OF_WATCHER(Z40ARemoveInAMultiFiresLikeARemove) {
  const Watch data = co_await watch_data(watcher, path);
  const Watch children = co_await watch_children(watcher, path);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await commit(actor, Transaction().check(path).remove(path));
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(children), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_IN_SESSION(Z40ACheckFiresNothing) {
  const Watch data = co_await watch_data(session, lab.parent());
  const Watch children = co_await watch_children(session, lab.parent());
  co_await commit(session, Transaction().check(lab.parent(), 0).check(lab.parent()));
  co_await settle(session, lab.parent());
  EXPECT_FALSE(data.has_fired());
  EXPECT_FALSE(children.has_fired());
}

CONFORMANCE_TEST_IN_SESSION(Z22AFailedMultiFiresNothing) {
  const Path n = lab.parent() / "n";
  const Path m = lab.parent() / "m";
  co_await create(session, m);
  const Watch on_n = co_await watch_exists(session, n);
  const Watch on_m = co_await watch_data(session, m);
  const Watch parent = co_await watch_children(session, lab.parent());
  const MultiError failure = co_await failure_of(
      session, Transaction().create(n, Data(), kPlain).set_data(m, "x").remove(m).check(n, 7));
  EXPECT_EQ(failure.op, 3u);
  co_await settle(session, n);
  EXPECT_FALSE(on_n.has_fired());
  EXPECT_FALSE(on_m.has_fired());
  EXPECT_FALSE(parent.has_fired());
}

// Each watch gets one event: the first operation that concerns it consumes it.
CONFORMANCE_TEST_IN_TWO_SESSIONS(Z42EachOperationOfAMultiFiresInTurn, watcher, actor) {
  const Path n = lab.parent() / "n";
  const Path m = lab.parent() / "m";
  co_await create(actor, m);
  const Watch on_n = co_await watch_exists(watcher, n);
  const Watch on_m = co_await watch_data(watcher, m);
  const Watch parent = co_await watch_children(watcher, lab.parent());
  co_await commit(actor, Transaction()
                             .set_data(m, "x")
                             .create(n, Data(), kPlain)
                             .set_data(n, "x")
                             .remove(n)
                             .remove(m));
  EXPECT_EQ(co_await event_of(on_m), WatchEvent(EventType::kChanged, m));
  EXPECT_EQ(co_await event_of(on_n), WatchEvent(EventType::kCreated, n));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
}

// The writes are the watcher's own, so no event arrives before the test awaits it.
CONFORMANCE_TEST_IN_SESSION(Z41TheEventsOfAMultiComeInItsOrder) {
  const Path n = lab.parent() / "n";
  const Path m = lab.parent() / "m";
  co_await create(session, m);
  const Watch on_n = co_await watch_exists(session, n);
  const Watch on_m = co_await watch_data(session, m);
  const Watch parent = co_await watch_children(session, lab.parent());
  auto multi = session.multi(Transaction().set_data(m, "x").create(n, Data(), kPlain));
  co_await event_of(on_m);
  EXPECT_FALSE(on_n.has_fired());
  co_await event_of(on_n);
  EXPECT_FALSE(parent.has_fired());
  co_await event_of(parent);
  EXPECT_FALSE(multi.await_ready());
  EXPECT_EQ(error_of(co_await multi), std::nullopt);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z44TheEventsOfAMultiComeBeforeItsEffects, watcher, actor) {
  const Path a = lab.parent() / "a";
  const Path b = lab.parent() / "b";
  co_await create(actor, a, "0");
  co_await create(actor, b, "0");
  const Watch on_a = co_await watch_data(watcher, a);
  auto multi = actor.multi(Transaction().set_data(a, "1").set_data(b, "1"));
  for (;;) {
    const DataAndStat read = must(co_await watcher.get_data(b), "get_data");
    if (read.data.view() != "0") break;
    // The simulation schedules the same client as long as it has work; the sleep lets others run.
    must(co_await sleep_for(lab.executor(), std::chrono::milliseconds(1)), "sleep");
  }
  EXPECT_TRUE(on_a.has_fired());
  EXPECT_EQ(error_of(co_await multi), std::nullopt);
}

}  // namespace lockstep::conformance
