#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/conformance.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

CONFORMANCE_TEST(ASessionHasAnIdAndATimeout) {
  const auto a = co_await lab.open();
  const auto b = co_await lab.open();
  EXPECT_EQ(a->state(), SessionState::kConnected);
  EXPECT_NE(a->id(), 0);
  EXPECT_NE(a->id(), b->id());
  EXPECT_EQ(a->timeout(), Lab::kLongSessionTimeout);
  EXPECT_LE(a->last_contact(), lab.executor().now());
}

CONFORMANCE_TEST_IN_SESSION(Z73RequestsAreAnsweredInOrder) {
  Sent<Created> creates;
  Sent<Children> reads;
  constexpr std::size_t kRequests = 50;
  for (std::size_t i = 0; i < kRequests; ++i) {
    creates.add([&] {
      return session.create(lab.parent() / "n-", Data(), CreateMode::kPersistentSequential);
    });
    reads.add([&] { return session.get_children(lab.parent()); });
  }
  Zxid last = 0;
  for (std::size_t i = 0; i < kRequests; ++i) {
    Operation<Created>& create_sent = creates[i];
    const Created created = must(co_await create_sent, "create");
    EXPECT_GT(created.stat.czxid, last);
    last = created.stat.czxid;
    Operation<Children>& read_sent = reads[i];
    const Children children = must(co_await read_sent, "get_children");
    EXPECT_EQ(children.size(), i + 1);
  }
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z34CloseRemovesTheEphemeralsInOneTransaction, owner, other) {
  const Path p = lab.parent() / "p";
  const Path q = lab.parent() / "q";
  co_await create(other, p);
  co_await create(other, q);
  co_await create(owner, p / "a", Data(), CreateMode::kEphemeral);
  co_await create(owner, p / "b", Data(), CreateMode::kEphemeral);
  co_await create(owner, q / "c", Data(), CreateMode::kEphemeralSequential);
  co_await create(owner, q / "stays");
  const Stat p_before = co_await stat_of(other, p);
  const Stat q_before = co_await stat_of(other, q);
  must(co_await owner.close(), "close");
  must(co_await other.sync(lab.parent()), "sync");
  const Stat p_after = co_await stat_of(other, p);
  const Stat q_after = co_await stat_of(other, q);
  EXPECT_EQ(p_after.num_children, 0);
  EXPECT_EQ(q_after.num_children, 1);
  EXPECT_EQ(p_after.cversion, p_before.cversion + 2);
  EXPECT_EQ(q_after.cversion, q_before.cversion + 1);
  EXPECT_GT(p_after.pzxid, q_before.pzxid);
  EXPECT_EQ(p_after.pzxid, q_after.pzxid);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z35APathOfAnotherSessionSurvives, owner, other) {
  const Path path = lab.parent() / "e";
  co_await create(owner, path, Data(), CreateMode::kEphemeral);
  co_await remove(other, path);
  co_await create(other, path, Data(), CreateMode::kEphemeral);
  must(co_await owner.close(), "close");
  EXPECT_EQ((co_await stat_of(other, path)).ephemeral_owner, other.id());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z59AKilledSessionLearnsItAtItsNextContact, victim, other) {
  const Path path = lab.parent() / "e";
  co_await create(victim, path, Data(), CreateMode::kEphemeral);
  const Watch watch = co_await watch_data(victim, path);
  support::StateRecorder recorder(victim);
  co_await lab.kill(victim);
  EXPECT_EQ(error_of(co_await other.exists(path)), Error::kNoNode);
  co_await support::StateReached(victim, SessionState::kExpired);
  EXPECT_EQ(recorder.states(),
            (std::vector<SessionState>{SessionState::kSuspended, SessionState::kExpired}));
  EXPECT_EQ(error_of(co_await watch.fired()), Error::kSessionExpired);
}

CONFORMANCE_TEST(Z59ASilentSessionExpires) {
  const auto victim = co_await lab.open(Lab::kShortSessionTimeout);
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*victim, path, Data(), CreateMode::kEphemeral);
  const Watch watch = co_await watch_exists(*victim, path);
  co_await lab.expire(*victim);
  EXPECT_EQ(error_of(co_await other->exists(path)), Error::kNoNode);
  co_await support::StateReached(*victim, SessionState::kExpired);
  EXPECT_EQ(victim->end_error(), Error::kSessionExpired);
  const auto event = co_await watch.fired();  // Not "deleted": the session was over by then.
  EXPECT_EQ(error_of(event), Error::kSessionExpired);
}

CONFORMANCE_TEST(Z67ListenersHearOfTheExpiryBeforeTheRequests) {
  const auto victim = co_await lab.open();
  support::StateRecorder recorder(*victim);
  co_await lab.kill(*victim);
  // The request is sent, queued or refused, depending on the session's state; the error is the
  // same.
  for (;;) {
    const auto read = co_await victim->get_data(lab.parent());
    if (error_of(read) == Error::kConnectionLoss) continue;
    EXPECT_EQ(error_of(read), Error::kSessionExpired);
    break;
  }
  EXPECT_EQ(recorder.states().back(), SessionState::kExpired);
  EXPECT_EQ(victim->state(), SessionState::kExpired);
}

namespace {

Task<void> expect_everything_fails(Session& session, Path path, Error error) {
  EXPECT_EQ(error_of(co_await session.create(path, Data(), CreateMode::kEphemeral)), error);
  EXPECT_EQ(error_of(co_await session.remove(path)), error);
  EXPECT_EQ(error_of(co_await session.exists(path)), error);
  EXPECT_EQ(error_of(co_await session.exists_watched(path)), error);
  EXPECT_EQ(error_of(co_await session.get_data(path)), error);
  EXPECT_EQ(error_of(co_await session.set_data(path, Data())), error);
  EXPECT_EQ(error_of(co_await session.get_children_watched(path)), error);
  EXPECT_EQ(error_of(co_await session.sync(path)), error);
  EXPECT_EQ(error_of(co_await session.get_acl(path)), error);
  EXPECT_EQ(error_of(co_await session.set_acl(path, Acl::open())), error);
  const auto multi = co_await session.multi(Transaction().check(path).check("malformed"));
  EXPECT_EQ(error_of(multi), error);
  EXPECT_EQ(failed_op(multi), std::nullopt);
  EXPECT_EQ(error_of(co_await session.multi(Transaction())), error);
  EXPECT_EQ(error_of(co_await session.add_auth("digest", "user:password")), error);
  EXPECT_EQ(error_of(co_await session.get_data("malformed")), error);
  EXPECT_EQ(error_of(co_await session.connected()), error);
  EXPECT_EQ(error_of(co_await session.close()), error);
  EXPECT_EQ(session.end_error(), error);
}

}  // namespace

CONFORMANCE_TEST(Z72AfterTheExpiryEverythingFails) {
  const auto victim = co_await lab.open();
  co_await lab.kill(*victim);
  co_await support::StateReached(*victim, SessionState::kExpired);
  co_await expect_everything_fails(*victim, lab.parent(), Error::kSessionExpired);
}

CONFORMANCE_TEST_IN_SESSION(Z72AfterTheCloseEverythingFails) {
  must(co_await session.close(), "close");
  EXPECT_EQ(session.state(), SessionState::kClosed);
  co_await expect_everything_fails(session, lab.parent(), Error::kClosing);
}

CONFORMANCE_TEST_IN_SESSION(Z72AfterARejectedCredentialEverythingFails) {
  co_await add_rejected_auth(session);
  co_await expect_everything_fails(session, lab.parent(), Error::kAuthFailed);
}

CONFORMANCE_TEST(CloseEndsPendingMultisAndCredentialsOnce) {
  for (int round = 0; round < 10; ++round) {
    const auto session = co_await lab.open();
    Sent<MultiResults> multis;
    for (int i = 0; i < 20; ++i) {
      multis.add([&] {
        return session->multi(Transaction().check(lab.parent()).set_data(lab.parent(), "x"));
      });
    }
    auto auth = session->add_auth("digest", "user:password");
    auto acl = session->get_acl(lab.parent());
    must(co_await session->close(), "close");
    for (std::size_t i = 0; i < multis.size(); ++i) {
      Operation<MultiResults>& multi = multis[i];
      const auto results = co_await multi;
      EXPECT_EQ(error_of(results), Error::kClosing);
      EXPECT_EQ(failed_op(results), std::nullopt);
    }
    EXPECT_EQ(error_of(co_await auth), Error::kClosing);
    EXPECT_EQ(error_of(co_await acl), Error::kClosing);
  }
}

CONFORMANCE_TEST(CloseEndsPendingRequestsAndWatchesOnce) {
  for (int round = 0; round < 10; ++round) {
    const auto session = co_await lab.open();
    const Watch watch = co_await watch_data(*session, lab.parent());
    support::StateRecorder recorder(*session);
    Sent<DataAndStat> reads;
    for (int i = 0; i < 20; ++i) {
      reads.add([&] { return session->get_data(lab.parent()); });
    }
    auto close = session->close();
    auto late = session->get_data(lab.parent());
    EXPECT_EQ(recorder.states(), std::vector<SessionState>{SessionState::kClosed});
    for (std::size_t i = 0; i < reads.size(); ++i) {
      Operation<DataAndStat>& read = reads[i];
      EXPECT_EQ(error_of(co_await read), Error::kClosing);
    }
    EXPECT_EQ(error_of(co_await late), Error::kClosing);
    EXPECT_EQ(error_of(co_await watch.fired()), Error::kClosing);
    must(co_await close, "close");
  }
}

// Requests made before the close are sent before it, and the ephemerals are removed in any case.
CONFORMANCE_TEST(Z64CloseComesAfterEarlierRequests) {
  const auto other = co_await lab.open();
  for (int round = 0; round < 10; ++round) {
    const auto session = co_await lab.open();
    Sent<Created> creates;
    for (int i = 0; i < 20; ++i) {
      creates.add([&] {
        return session->create(lab.parent() / "e-", Data(), CreateMode::kEphemeralSequential);
      });
    }
    static_cast<void>(
        session->create(lab.parent() / "p-", Data(), CreateMode::kPersistentSequential));
    must(co_await session->close(), "close");
    const Children children = must(co_await other->get_children(lab.parent()), "get_children");
    EXPECT_EQ(children.size(), static_cast<std::size_t>(round + 1));
  }
}

CONFORMANCE_TEST_IN_SESSION(CloseWhileDisconnectedEnds) {
  co_await lab.disconnect(session);
  EXPECT_EQ(error_of(co_await session.close()), std::nullopt);
  EXPECT_EQ(session.state(), SessionState::kClosed);
}

CONFORMANCE_TEST(ASessionCanBeDroppedWhileItIsBusy) {
  const auto other = co_await lab.open();
  for (int round = 0; round < 5; ++round) {
    const auto session = co_await lab.open();
    co_await create(*session, lab.parent() / "e", Data(), CreateMode::kEphemeral);
    const Watch watch = co_await watch_data(*session, lab.parent());
    for (int i = 0; i < 5; ++i) static_cast<void>(session->get_data(lab.parent()));
    must(co_await session->close(), "close");
    EXPECT_EQ(error_of(co_await other->exists(lab.parent() / "e")), Error::kNoNode);
  }
}

}  // namespace lockstep::conformance
