#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <utility>

#include "conformance/conformance.h"
#include "lockstep/sleep.h"

namespace lockstep::conformance {

namespace {

constexpr std::chrono::milliseconds kMoment(10);

Task<void> stop_later(Executor& executor, std::stop_source stop) {
  must(co_await sleep_for(executor, kMoment), "sleep");
  stop.request_stop();
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(ADeadlineEndsTheWaitNotTheRequest) {
  lab.hold_replies(session);
  const TimePoint deadline = lab.executor().now() + kMoment;
  const auto created =
      co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent, deadline);
  EXPECT_EQ(error_of(created), Error::kTimedOut);
  EXPECT_GE(lab.executor().now(), deadline);
  lab.let_go(session);
  // The reply to the create arrives first; nobody waits for it any more.
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(AStopTokenEndsTheWaitNotTheRequest) {
  lab.hold_replies(session);
  std::stop_source stop;
  session.in_background(stop_later(lab.executor(), stop));
  const auto created = co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent,
                                               stop.get_token());
  EXPECT_EQ(error_of(created), Error::kCancelled);
  lab.let_go(session);
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(AnEndedContextSendsNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent,
                                               stop.get_token());
  EXPECT_EQ(error_of(stopped), Error::kCancelled);
  const auto late = co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent,
                                            lab.executor().now());
  EXPECT_EQ(error_of(late), Error::kTimedOut);
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(AContextThatDoesNotEndHasNoEffect) {
  std::stop_source stop;
  const Context context(lab.executor().now() + std::chrono::seconds(20), stop.get_token());
  const auto created =
      co_await session.create(lab.parent() / "a", Data(), CreateMode::kPersistent, context);
  EXPECT_EQ(error_of(created), std::nullopt);
  stop.request_stop();
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(ADroppedOperationIsStillApplied) {
  static_cast<void>(session.create(lab.parent() / "a", Data(), CreateMode::kPersistent));
  static_cast<void>(session.get_data_watched(lab.parent()));
  static_cast<void>(session.get_children_watched(lab.parent()));
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), std::nullopt);
  co_await create(session, lab.parent() / "b");
}

CONFORMANCE_TEST_IN_SESSION(AWatchObeysItsContext) {
  const Watch watch = co_await watch_data(session, lab.parent());
  const TimePoint deadline = lab.executor().now() + kMoment;
  EXPECT_EQ(error_of(co_await watch.fired(deadline)), Error::kTimedOut);
  std::stop_source stop;
  session.in_background(stop_later(lab.executor(), stop));
  EXPECT_EQ(error_of(co_await watch.fired(stop.get_token())), Error::kCancelled);
}

CONFORMANCE_TEST_IN_SESSION(WaitingForTheConnectionObeysItsContext) {
  EXPECT_EQ(error_of(co_await session.connected()), std::nullopt);
  co_await lab.disconnect(session);
  const TimePoint deadline = lab.executor().now() + kMoment;
  EXPECT_EQ(error_of(co_await session.connected(deadline)), Error::kTimedOut);
  co_await lab.reconnect(session);
  EXPECT_EQ(error_of(co_await session.connected()), std::nullopt);
}

}  // namespace lockstep::conformance
