#include "lockstep/on_client.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/callback.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/semaphore.h"
#include "lockstep/take_place.h"
#include "lockstep/task_set.h"
#include "lockstep/turn.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Records notices about sessions.
class SessionsObserver final : public LockObserver {
 public:
  [[nodiscard]] const Calls& calls() const { return calls_; }

 private:
  void place_reserved(SessionId, const Path&, const Path&) override {
    calls_.emplace_back("place");
  }
  void place_given_up(SessionId, const Path&) override { calls_.emplace_back("place given up"); }
  void gave_up(SessionId, const Path&, Error error) override {
    calls_.push_back("gave up: " + std::string(name(error)));
  }
  void rejoining(const Path& lock) override { calls_.push_back("rejoins " + lock.string()); }
  void granted(const GrantRecord&) override { calls_.emplace_back("granted"); }
  void lost(const GrantRecord&, Error) override { calls_.emplace_back("lost"); }

  Calls calls_;
};

class OnClientTest : public SimulatedTest {
 protected:
  void SetUp() override {
    holder_.emplace(must(simulation_.run(holders_mutex_.acquire()), "acquire"));
  }
  // Ends the client's session on the server; the client learns of it when the simulation runs on.
  void kill_session() {
    const auto session = client_.current();
    simulation_.kill(*session);
    simulation_.cut(*session);
  }
  std::size_t places() { return children(simulation_, "/lock").size(); }

  std::shared_ptr<FakeSession> holders_session_ = simulation_.open("Holder");
  FairMutex holders_mutex_{*holders_session_, "/lock"};
  std::optional<HeldLock> holder_;
  fake::FakeClient& client_ = simulation_.client("A");
  SessionsObserver observer_;
};

TEST_F(OnClientTest, AnAcquireEndsWithItsSession) {
  OnClient<FairMutex> mutex(client_, "/lock", &observer_);
  const auto taking = start_and_settle(mutex.acquire());
  EXPECT_EQ(places(), 2U);
  kill_session();
  simulation_.run_until(taking);
  EXPECT_EQ(error_of(taking.result()), Error::kSessionExpired);
  EXPECT_EQ(places(), 1U);
  EXPECT_EQ(observer_.calls(), (Calls{"place", "place given up", "gave up: session expired"}));
}

// Reserves room for watches up to a limit, and records the requests for it.
class ClientWithLimit final : public Client {
 public:
  ClientWithLimit(Client& client, std::size_t limit) : client_(client), limit_(limit) {}
  Task<Result<std::shared_ptr<Session>>> session(Context context) override {
    return client_.session(std::move(context));
  }
  Task<Result<SessionRoom>> session_with_room(std::size_t bytes, Context context) override {
    asked_.push_back(bytes);
    std::shared_ptr<Session> session = co_await ok(client_.session(std::move(context)));
    std::shared_ptr<void> room;
    if (bytes <= limit_) room = std::make_shared<std::size_t>(bytes);
    room_ = room;
    co_return SessionRoom(std::move(session), std::move(room));
  }
  [[nodiscard]] Executor& executor() const override { return client_.executor(); }

  [[nodiscard]] const std::vector<std::size_t>& asked() const { return asked_; }
  [[nodiscard]] bool room_is_kept() const { return !room_.expired(); }

 private:
  Client& client_;
  std::size_t limit_;
  std::vector<std::size_t> asked_;
  std::weak_ptr<void> room_;
};

// A recipe whose watches never fit into the session.
class GreedyMutex {
 public:
  GreedyMutex(Session&, const Path&) {}
  static Task<Result<HeldLock>> acquire(Context) { co_return failure(Error::kWatchLimit); }
};

TEST_F(OnClientTest, LockWhoseWatchesDoNotFitAsksForMoreRoom) {
  ClientWithLimit client(client_, 300);
  OnClient<GreedyMutex> mutex(client, "/lock");
  const auto refused = simulation_.run(mutex.acquire());
  EXPECT_EQ(error_of(refused), Error::kWatchLimit);
  const std::size_t first = watch_bytes("/lock");
  EXPECT_EQ(client.asked(), (std::vector<std::size_t>{first, 2 * first, 4 * first, 8 * first}));
}

TEST_F(OnClientTest, RoomIsSetAsideUntilTheLockIsHeld) {
  ClientWithLimit client(client_, 300);
  OnClient<FairMutex> mutex(client, "/lock");
  const auto taking = start_and_settle(mutex.acquire());
  EXPECT_TRUE(client.room_is_kept());
  simulation_.run(holder_->release());
  simulation_.run_until(taking);
  EXPECT_TRUE(taking.result());
  EXPECT_FALSE(client.room_is_kept());
}

TEST_F(OnClientTest, TheNextAcquireGetsTheNextSession) {
  OnClient<FairMutex> mutex(client_, "/lock");
  const auto taking = start_and_settle(mutex.acquire());
  kill_session();
  simulation_.run_until(taking);
  simulation_.run(holder_->release());
  const ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(grant.session, client_.current());
  EXPECT_EQ(grant.rejoins, 0U);
}

// Drops its grant when it is lost, and queues up again, before the notice of the loss has returned.
class Insistent {
 public:
  explicit Insistent(fake::FakeClient& client) : client_(client), mutex_(client, "/lock") {}

  void queue_up() {
    start(tasks_, mutex_.acquire(), [this](Result<ClientGrant> taken) {
      ++grants_;
      grant_.emplace(must(std::move(taken), "acquire"));
      on_loss_.emplace(grant_->held.lost_token(), [this] { lost(); });
    });
  }
  [[nodiscard]] int grants() const { return grants_; }
  [[nodiscard]] bool old_session_was_there() const { return was_there_; }
  [[nodiscard]] bool old_session_is_there() const { return !old_session_.expired(); }

 private:
  void lost() {
    old_session_ = client_.current();
    grant_.reset();
    queue_up();
    was_there_ = !old_session_.expired();
  }

  fake::FakeClient& client_;
  OnClient<FairMutex> mutex_;
  TaskSet tasks_;
  std::optional<ClientGrant> grant_;
  std::optional<std::stop_callback<std::function<void()>>> on_loss_;
  std::weak_ptr<FakeSession> old_session_;
  int grants_ = 0;
  bool was_there_ = false;
};

TEST_F(OnClientTest, ALossCallbackMayDropTheGrantAndQueueUpAgain) {
  simulation_.run(holder_->release());
  Insistent insistent(client_);
  insistent.queue_up();
  simulation_.settle();
  kill_session();
  simulation_.settle();
  EXPECT_EQ(insistent.grants(), 2);
  EXPECT_EQ(places(), 1U);
  EXPECT_TRUE(insistent.old_session_was_there());
  EXPECT_FALSE(insistent.old_session_is_there());
}

TEST_F(OnClientTest, AnOldGrantNeverTouchesTheNewSession) {
  simulation_.run(holder_->release());
  OnClient<FairMutex> mutex(client_, "/lock", &observer_);
  ClientGrant old = must(simulation_.run(mutex.acquire()), "acquire");
  kill_session();
  simulation_.settle();
  EXPECT_EQ(old.held.cause(), Error::kSessionExpired);
  ClientGrant fresh = must(simulation_.run(mutex.acquire()), "acquire again");
  EXPECT_NE(fresh.session, old.session);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(simulation_.run(old.held.release()), ReleaseOutcome::kAlreadyLost);
  old = std::move(fresh);  // `fresh` takes the rest of the old grant.
  simulation_.settle();
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(old.held.state(), LockState::kHeld);
  EXPECT_EQ(places(), 1U);
}

TEST_F(OnClientTest, PassesFurtherArgumentsToTheRecipe) {
  OnClient<Semaphore> semaphore(client_, "/s", std::int32_t{1});
  const Result<ClientGrant> lease = simulation_.run(semaphore.acquire());
  ASSERT_TRUE(lease.has_value());
  EXPECT_EQ(error_of(simulation_.run(semaphore.try_acquire())), Error::kConflict);
  OnClient<FairMutex> mutex(client_, "/data", LockOptions("me"));
  const Result<ClientGrant> grant = simulation_.run(mutex.acquire());
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(znode(simulation_, grant->held.znode())->data.view(), "me");
}

TEST_F(OnClientTest, SeveralLeasesKeepTheirSession) {
  OnClient<Semaphore> semaphore(client_, "/s", std::int32_t{2});
  const auto both = [](Semaphore& recipe, Context context) {
    return recipe.acquire(2, std::move(context));
  };
  ClientGrants held = must(simulation_.run(semaphore.take(both, Context())), "take");
  EXPECT_EQ(held.held.each().size(), 2U);
  EXPECT_EQ(held.session, client_.current());
  EXPECT_EQ(simulation_.run(held.held.release()), ReleaseOutcome::kReleased);
}

TEST_F(OnClientTest, RejoiningQueuesUpOnTheNextSessionAndReportsIt) {
  Rejoining<FairMutex> mutex(client_, "/lock", &observer_);
  const auto taking = start_and_settle(mutex.acquire());
  kill_session();
  simulation_.settle();
  EXPECT_FALSE(taking.done());
  EXPECT_EQ(places(), 2U);
  simulation_.run(holder_->release());
  simulation_.run_until(taking);
  const Result<ClientGrant>& grant = taking.result();
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->rejoins, 1U);
  EXPECT_EQ(grant->session, client_.current());
  EXPECT_EQ(places(), 1U);
  EXPECT_EQ(observer_.calls(), (Calls{"place", "place given up", "gave up: session expired",
                                      "rejoins /lock", "place", "granted"}));
}

TEST_F(OnClientTest, RejoiningKeepsToItsDeadline) {
  Rejoining<FairMutex> mutex(client_, "/lock", &observer_);
  const TimePoint deadline = simulation_.now() + 30s;
  const auto taking = start_and_settle(mutex.acquire(Context(deadline)));
  for (int i = 0; i < 2; ++i) {
    simulation_.advance(10s);
    kill_session();
    simulation_.settle();
  }
  simulation_.run_until(taking);
  EXPECT_EQ(error_of(taking.result()), Error::kTimedOut);
  EXPECT_EQ(observer_.calls().back(), "gave up: timed out");
  EXPECT_EQ(observer_.calls()[observer_.calls().size() - 2], "place given up");
  EXPECT_EQ(simulation_.now(), deadline);
  simulation_.settle();
  EXPECT_EQ(places(), 1U);
}

TEST_F(OnClientTest, RejoiningLeavesASessionThatWasClosed) {
  Rejoining<FairMutex> mutex(client_, "/lock", &observer_);
  const auto taking = start_and_settle(mutex.acquire());
  must(simulation_.run(close(*client_.current())), "close");
  simulation_.run_until(taking);
  EXPECT_EQ(error_of(taking.result()), Error::kClosing);
  EXPECT_EQ(observer_.calls(), (Calls{"place", "place given up", "gave up: closing"}));
}

// Contends through all sessions of its client; the oracles identify each session by its actions.
template <class Mutex>
Task<void> contend_on_client(lab::Contender& self, Path lock, std::uint32_t rounds) {
  Mutex mutex(self.client(), lock, &self.oracles());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Result<ClientGrant> grant = co_await mutex.acquire(self.patience());
    if (!grant) continue;
    const Path znode = grant->held.znode();
    const ReleaseOutcome outcome = co_await grant->held.release();
    const ReleaseOutcome again = co_await grant->held.release();
    self.oracles().released_again(znode, outcome, again);
  }
}

// Keeps the place of its old session; no other contender waits for that any more.
class KeepsItsOldPlace {
 public:
  KeepsItsOldPlace(Client& client, Path lock, LockObserver* observer)
      : client_(client), lock_(std::move(lock)), observer_(observer) {}
  Task<Result<ClientGrant>> acquire(Context context) {
    const Data data;
    const Acl acl;
    std::shared_ptr<Session> session = co_await ok(client_.session(context));
    const Created ours = co_await ok(take_place(*session, lock_, kLockMark, data, acl, context));
    const LockQueue queue(*session, lock_, kMutexMarks, observer_);
    Result<Zxid> turn = co_await wait_in_queue(queue, ours.path, Patience::kWaits, context);
    if (!turn && turn.error() == Error::kSessionExpired) {
      session = co_await ok(client_.session(context));
      turn = ours.stat.czxid;
    }
    const Zxid evidence = co_await ok(turn);
    GrantRecord grant(session->id(), lock_, ours.path, ours.stat.czxid, evidence);
    HeldLock held(*session, std::move(grant), observer_);
    co_return ClientGrant(std::move(session), std::move(held));
  }

 private:
  Client& client_;
  Path lock_;
  LockObserver* observer_;
};

TEST(OnClientHuntTest, FindsALockThatTakesItsPlaceIntoTheNextSession) {
  const lab::HuntReport report =
      lab::hunt_lock("keeps-its-old-place", &contend_on_client<KeepsItsOldPlace>);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S1") << report.text();
}

TEST(OnClientHuntTest, ChangesOfSessionsBreakNothing) {
  lab::HuntSettings settings{.executions = 3000};
  settings.size.rounds = 2;
  const lab::HuntReport on_client =
      lab::hunt_lock("on-client", &contend_on_client<OnClient<FairMutex>>, settings);
  EXPECT_TRUE(on_client.passed()) << on_client.text();
  const lab::HuntReport rejoining =
      lab::hunt_lock("rejoining", &contend_on_client<Rejoining<FairMutex>>, settings);
  EXPECT_TRUE(rejoining.passed()) << rejoining.text();
}

}  // namespace
}  // namespace lockstep
