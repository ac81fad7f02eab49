#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "conformance/conformance.h"
#include "lockstep/internal/client_table.h"
#include "lockstep/sleep.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z46DataWatchesCompareStatesAfterAnAbsence, watcher, actor) {
  const char* const names[] = {"changed", "removed", "recreated", "untouched"};
  for (const char* const name : names) co_await create(actor, lab.parent() / name);
  const Watch changed = co_await watch_data(watcher, lab.parent() / "changed");
  const Watch removed = co_await watch_data(watcher, lab.parent() / "removed");
  const Watch recreated = co_await watch_data(watcher, lab.parent() / "recreated");
  const Watch untouched = co_await watch_data(watcher, lab.parent() / "untouched");

  co_await lab.disconnect(watcher);
  co_await set_data(actor, lab.parent() / "changed", "x");
  co_await set_data(actor, lab.parent() / "changed", "y");
  co_await remove(actor, lab.parent() / "removed");
  co_await remove(actor, lab.parent() / "recreated");
  co_await create(actor, lab.parent() / "recreated");
  EXPECT_FALSE(changed.has_fired());
  co_await lab.reconnect(watcher);

  WatchEvent event = co_await event_of(changed);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, lab.parent() / "changed"));
  event = co_await event_of(removed);
  EXPECT_EQ(event, WatchEvent(EventType::kDeleted, lab.parent() / "removed"));
  event = co_await event_of(recreated);
  EXPECT_EQ(event, WatchEvent(EventType::kChanged, lab.parent() / "recreated"));
  co_await settle(watcher, lab.parent());
  EXPECT_FALSE(untouched.has_fired());
  co_await set_data(actor, lab.parent() / "untouched", "x");
  event = co_await event_of(untouched);
  EXPECT_EQ(event.type(), EventType::kChanged);
}

// This is neither the order of the transactions nor that of the watches.
CONFORMANCE_TEST_IN_TWO_SESSIONS(Z53MissedEventsComeInTheOrderOfTheClientsTable, watcher, actor) {
  const auto tell = [](Watch watch, Path path, std::vector<Path>& into) -> Task<void> {
    must(co_await watch.fired(), "event");
    into.push_back(std::move(path));
  };
  std::vector<Path> watched;
  std::vector<Path> told;
  for (int i = 0; i < 35; ++i) {
    Path path = lab.parent() / ("n" + std::to_string(i));
    co_await create(actor, path);
    watcher.in_background(tell(co_await watch_data(watcher, path), path, told));
    watched.push_back(std::move(path));
  }

  co_await lab.disconnect(watcher);
  for (const Path& path : watched) co_await remove(actor, path);
  co_await lab.reconnect(watcher);
  co_await settle(watcher, lab.parent());
  EXPECT_EQ(told, internal::in_table_order(watched));
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z46ExistsWatchesCompareStatesAfterAnAbsence, watcher, actor) {
  const Watch created = co_await watch_exists(watcher, lab.parent() / "created");
  const Watch passing = co_await watch_exists(watcher, lab.parent() / "passing");
  co_await create(actor, lab.parent() / "removed");
  const Watch removed = co_await watch_exists(watcher, lab.parent() / "removed");

  co_await lab.disconnect(watcher);
  co_await create(actor, lab.parent() / "created");
  co_await create(actor, lab.parent() / "passing");
  co_await remove(actor, lab.parent() / "passing");
  co_await remove(actor, lab.parent() / "removed");
  co_await lab.reconnect(watcher);

  EXPECT_EQ(co_await event_of(created), WatchEvent(EventType::kCreated, lab.parent() / "created"));
  EXPECT_EQ(co_await event_of(removed), WatchEvent(EventType::kDeleted, lab.parent() / "removed"));
  co_await settle(watcher, lab.parent());
  EXPECT_FALSE(passing.has_fired());
  co_await create(actor, lab.parent() / "passing");
  EXPECT_EQ((co_await event_of(passing)).type(), EventType::kCreated);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z46ChildWatchesCompareStatesAfterAnAbsence, watcher, actor) {
  const char* const names[] = {"filled", "emptied", "emptied/a", "removed", "untouched"};
  for (const char* const name : names) co_await create(actor, lab.parent() / name);
  const Watch filled = co_await watch_children(watcher, lab.parent() / "filled");
  const Watch emptied = co_await watch_children(watcher, lab.parent() / "emptied");
  const Watch removed = co_await watch_children(watcher, lab.parent() / "removed");
  const Watch untouched = co_await watch_children(watcher, lab.parent() / "untouched");

  co_await lab.disconnect(watcher);
  co_await create(actor, lab.parent() / "filled" / "a");
  co_await create(actor, lab.parent() / "filled" / "b");
  co_await remove(actor, lab.parent() / "emptied" / "a");
  co_await remove(actor, lab.parent() / "removed");
  co_await set_data(actor, lab.parent() / "untouched", "x");
  co_await lab.reconnect(watcher);

  EXPECT_EQ(co_await event_of(filled), WatchEvent(EventType::kChild, lab.parent() / "filled"));
  EXPECT_EQ(co_await event_of(emptied), WatchEvent(EventType::kChild, lab.parent() / "emptied"));
  EXPECT_EQ(co_await event_of(removed), WatchEvent(EventType::kDeleted, lab.parent() / "removed"));
  co_await settle(watcher, lab.parent());
  EXPECT_FALSE(untouched.has_fired());
  co_await create(actor, lab.parent() / "untouched" / "a");
  EXPECT_EQ((co_await event_of(untouched)).type(), EventType::kChild);
}

CONFORMANCE_TEST_OF_WATCHER(Z53MissedEventsComeBeforeRepliesToQueuedRequests) {
  const Watch watch = co_await watch_data(watcher, path);
  co_await lab.disconnect(watcher);
  co_await set_data(actor, path, "x");
  co_await lab.reconnect(watcher);
  EXPECT_FALSE(watch.has_fired());  // The session first learns that it is connected.
  const DataAndStat read = must(co_await watcher.get_data(path), "get_data");
  EXPECT_EQ(read.data.view(), "x");
  EXPECT_TRUE(watch.has_fired());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z70SessionAndEphemeralsSurviveALostConnection, owner, other) {
  const SessionId id = owner.id();
  const Path path = lab.parent() / "e";
  co_await create(owner, path, Data(), CreateMode::kEphemeral);
  support::StateRecorder recorder(owner);
  co_await lab.disconnect(owner);
  EXPECT_EQ(owner.state(), SessionState::kSuspended);
  const Stat away = co_await stat_of(other, path);
  EXPECT_EQ(away.ephemeral_owner, id);
  co_await lab.reconnect(owner);
  EXPECT_EQ(owner.id(), id);
  EXPECT_EQ(co_await stat_of(owner, path), away);
  EXPECT_EQ(recorder.states(),
            (std::vector<SessionState>{SessionState::kSuspended, SessionState::kConnected}));
}

CONFORMANCE_TEST_IN_SESSION(Z68ALostRequestIsNotApplied) {
  lab.prepare_loss(session, Lab::Loss::kRequests);
  auto create_lost = session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  lab.lose_connection(session, Lab::Loss::kRequests);
  EXPECT_EQ(error_of(co_await create_lost), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z68ALostReplyWasApplied) {
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto create_lost = session.create(lab.parent() / "a-", Data(), CreateMode::kEphemeralSequential);
  lab.lose_connection(session, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await create_lost), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  const Stat stat = co_await stat_of(session, lab.parent() / "a-0000000000");
  EXPECT_EQ(stat.ephemeral_owner, session.id());
}

// A lost connection notifies the listeners, then fails the requests in their order.
CONFORMANCE_TEST_IN_SESSION(Z67ALossReachesTheListenersBeforeTheRequests) {
  support::StateRecorder recorder(session);
  lab.hold_replies(session);
  auto first = session.get_data(lab.parent());
  auto second = session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  auto third = session.get_children(lab.parent());
  lab.cut(session);
  EXPECT_EQ(error_of(co_await first), Error::kConnectionLoss);
  EXPECT_EQ(recorder.states(), std::vector<SessionState>{SessionState::kSuspended});
  EXPECT_EQ(error_of(co_await second), Error::kConnectionLoss);
  EXPECT_EQ(error_of(co_await third), Error::kConnectionLoss);
  lab.let_go(session);
  must(co_await session.connected(), "connected");
}

// The C client reports the loss before it fails the requests in flight. A request made at once may
// still fail with them, hence more than one attempt.
CONFORMANCE_TEST_IN_SESSION(Z69ARequestMadeWhileAwayIsSentAfterwards) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    lab.cut(session);
    co_await support::StateReached(session, SessionState::kSuspended);
    const auto created =
        co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
    if (error_of(created) == Error::kConnectionLoss) {
      must(co_await session.connected(), "connected");
      EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")),
                Error::kNoNode);  // It failed, so it was never sent.
      continue;
    }
    EXPECT_EQ(error_of(created), std::nullopt);
    EXPECT_EQ(session.state(), SessionState::kConnected);
    co_return;
  }
  ADD_FAILURE() << "a request made while away is never sent";
}

// It is still queued in the client, which never sends it.
CONFORMANCE_TEST_IN_SESSION(Z69AnAbandonedRequestIsNotSent) {
  co_await lab.disconnect(session);
  std::stop_source stop;
  const Context context(stop.get_token());
  auto given_up = session.create(lab.parent() / "a", Data(), kPlain, context);
  {
    auto dropped = session.create(lab.parent() / "b", Data(), kPlain);
  }
  stop.request_stop();
  EXPECT_EQ(error_of(co_await given_up), Error::kCancelled);
  co_await lab.reconnect(session);
  const auto children = must(co_await session.get_children(lab.parent()), "get_children");
  EXPECT_EQ(children.size(), 0U);
}

CONFORMANCE_TEST_IN_SESSION(Z39AReadThatFailsWithItsConnectionLeavesNoWatch) {
  co_await create(session, lab.parent() / "a");
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto read = session.get_data_watched(lab.parent() / "a");
  lab.lose_connection(session, Lab::Loss::kReplies);
  EXPECT_EQ(error_of(co_await read), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  const Watch watch = co_await watch_data(session, lab.parent() / "a");
  co_await set_data(session, lab.parent() / "a", "x");
  EXPECT_EQ((co_await event_of(watch)).type(), EventType::kChanged);
}

CONFORMANCE_TEST_IN_SESSION(LosingTheConnectionIsNoContact) {
  const TimePoint before = session.last_contact();
  must(co_await session.sync(lab.parent()), "sync");
  const TimePoint contact = session.last_contact();
  EXPECT_GE(contact, before);
  EXPECT_LE(contact, lab.executor().now());
  must(co_await sleep_for(lab.executor(), std::chrono::milliseconds(10)), "sleep");
  co_await lab.disconnect(session);
  EXPECT_EQ(session.last_contact(), contact);
  co_await lab.reconnect(session);
  EXPECT_GE(session.last_contact(), contact);
}

}  // namespace lockstep::conformance
