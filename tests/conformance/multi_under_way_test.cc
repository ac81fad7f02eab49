// Multis in flight: among other requests, and when connections or sessions end.
#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/conformance.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

namespace {}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z73AMultiKeepsItsPlaceAmongTheRequests) {
  const Path path = lab.parent() / "a";
  auto creation = session.create(path, "0", kPlain);
  auto before = session.get_data(path);
  auto transaction = session.multi(Transaction().check(path, 0).set_data(path, "1", 0));
  auto after = session.get_data(path);
  const DataAndStat last = must(co_await after, "get_data");
  EXPECT_EQ(last.data.view(), "1");
  const DataAndStat first = must(co_await before, "get_data");
  EXPECT_EQ(first.data.view(), "0");
  EXPECT_EQ(error_of(co_await transaction), std::nullopt);
  must(co_await creation, "create");
}

CONFORMANCE_TEST_IN_SESSION(Z22ManyLargeMultisWork) {
  const std::string data(100, 'x');
  Sent<MultiResults> multis;
  for (int i = 0; i < 20; ++i) {
    Transaction many;
    for (int k = 0; k < 100; ++k) {
      std::move(many).create(lab.parent() / "n-", std::string_view(data),
                             CreateMode::kPersistentSequential);
    }
    multis.add([&] { return session.multi(std::move(many)); });
  }
  int next = 0;
  for (std::size_t i = 0; i < multis.size(); ++i) {
    Operation<MultiResults>& sent = multis[i];
    const auto results = co_await sent;
    EXPECT_EQ(error_of(results), std::nullopt);
    if (!results) co_return;
    for (const OpResult& result : *results) {
      const std::string digits = std::to_string(10'000'000'000 + next++).substr(1);
      EXPECT_EQ(result.path, lab.parent() / ("n-" + digits));
    }
  }
}

CONFORMANCE_TEST_IN_SESSION(ADroppedMultiIsStillApplied) {
  const Path path = lab.parent() / "a";
  static_cast<void>(session.multi(Transaction().create(path, Data(), kPlain)));
  EXPECT_EQ(error_of(co_await session.exists(path)), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z68AMultiWhoseRequestIsLostIsNotApplied) {
  const Path path = lab.parent() / "a";
  lab.prepare_loss(session, Lab::Loss::kRequests);
  auto lost = session.multi(Transaction().check(lab.parent()).create(path, Data(), kPlain));
  lab.lose_connection(session, Lab::Loss::kRequests);
  const auto results = co_await lost;
  EXPECT_EQ(error_of(results), Error::kConnectionLoss);
  EXPECT_EQ(failed_op(results), std::nullopt);
  must(co_await session.connected(), "connected");
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z68AMultiWhoseReplyIsLostWasApplied) {
  const Path path = lab.parent() / "a";
  lab.prepare_loss(session, Lab::Loss::kReplies);
  auto lost = session.multi(Transaction().create(path, "x", kPlain));
  lab.lose_connection(session, Lab::Loss::kReplies);
  const auto results = co_await lost;
  EXPECT_EQ(error_of(results), Error::kConnectionLoss);
  EXPECT_EQ(failed_op(results), std::nullopt);
  must(co_await session.connected(), "connected");
  const DataAndStat read = must(co_await session.get_data(path), "get_data");
  EXPECT_EQ(read.data.view(), "x");
}

// If the multi fails instead, it was never sent: see Z69ARequestMadeWhileAwayIsSentAfterwards.
CONFORMANCE_TEST_IN_SESSION(Z69AMultiMadeWhileAwayIsSentAfterwards) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    lab.cut(session);
    co_await support::StateReached(session, SessionState::kSuspended);
    const Path path = lab.parent() / "a";
    auto multi = session.multi(Transaction().create(path, "x", kPlain).check(path, 0));
    auto read = session.get_data(path);
    const auto results = co_await multi;
    const auto data = co_await read;
    if (error_of(results) == Error::kConnectionLoss) {
      must(co_await session.connected(), "connected");
      EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
      continue;
    }
    EXPECT_EQ(error_of(results), std::nullopt);
    EXPECT_EQ(error_of(data), std::nullopt);
    EXPECT_EQ(session.state(), SessionState::kConnected);
    co_return;
  }
  ADD_FAILURE() << "a multi made while away is never sent";
}

CONFORMANCE_TEST(Z72AMultiMadeOnAnExpiredSessionFails) {
  const auto victim = co_await lab.open();
  co_await lab.disconnect(*victim);
  auto multi = victim->multi(Transaction().check(lab.parent()).check(lab.parent()));
  co_await lab.kill(*victim);
  // How often the session retries depends on what it knows; in the end it reports the expiry.
  auto results = co_await multi;
  while (error_of(results) == Error::kConnectionLoss) {
    results = co_await victim->multi(Transaction().check(lab.parent()).check(lab.parent()));
  }
  EXPECT_EQ(error_of(results), Error::kSessionExpired);
  EXPECT_EQ(failed_op(results), std::nullopt);
}

// Such a multi is still queued in the client, which never sends it.
CONFORMANCE_TEST_IN_SESSION(Z69AnAbandonedMultiIsNotSent) {
  co_await lab.disconnect(session);
  std::stop_source stop;
  auto given_up = session.multi(Transaction().create(lab.parent() / "a", Data(), kPlain),
                                Context(stop.get_token()));
  {
    auto dropped = session.multi(Transaction().create(lab.parent() / "b", Data(), kPlain));
  }
  auto wanted = session.multi(Transaction().create(lab.parent() / "c", Data(), kPlain));
  stop.request_stop();
  EXPECT_EQ(error_of(co_await given_up), Error::kCancelled);
  co_await lab.reconnect(session);
  EXPECT_EQ(error_of(co_await wanted), std::nullopt);
  const auto children = must(co_await session.get_children(lab.parent()), "get_children");
  EXPECT_EQ(children.size(), 1U);
}

}  // namespace lockstep::conformance
