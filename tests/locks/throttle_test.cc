#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/fakezk/random_stream.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/leader_election.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/retried.h"
#include "lockstep/revocation.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_count.h"
#include "lockstep/take_place.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

// An overloaded server answers kThrottledOp, and has executed nothing.
namespace lockstep {
namespace {

using namespace unit;

class ThrottleTest : public SimulatedTest {
 protected:
  ThrottleTest() { must(simulation_.run(create(*other_, "/lock")), "create /lock"); }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("other");
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(ThrottleTest, ThrottledRequestIsNotExecuted) {
  const Zxid before = simulation_.world().server().last_zxid();
  simulation_.throttle(*session_, 2);
  EXPECT_EQ(error_of(simulation_.run(create(*session_, "/a"))), Error::kThrottledOp);
  EXPECT_EQ(error_of(simulation_.run(get_children(*session_, "/"))), Error::kThrottledOp);
  EXPECT_FALSE(simulation_.exists("/a"));
  EXPECT_EQ(simulation_.world().server().last_zxid(), before);
  EXPECT_EQ(session_->state(), SessionState::kConnected);
  EXPECT_TRUE(simulation_.run(create(*session_, "/a")).has_value());
}

TEST_F(ThrottleTest, OthersAreServedMeanwhile) {
  simulation_.throttle(*session_, 1);
  EXPECT_TRUE(simulation_.run(create(*other_, "/a")).has_value());
  EXPECT_EQ(error_of(simulation_.run(create(*session_, "/b"))), Error::kThrottledOp);
}

TEST_F(ThrottleTest, LockSurvivesWhereverItIsThrottled) {
  for (std::uint32_t quiet = 0; quiet < 4; ++quiet) {
    for (std::uint32_t refusals = 1; refusals < 12; ++refusals) {
      SCOPED_TRACE(testing::Message() << quiet << ' ' << refusals);
      FairMutex mutex(*session_, "/locks/" + std::to_string(quiet));
      const auto acquired = simulation_.start(mutex.acquire());
      run_steps(simulation_, static_cast<int>(2 * quiet));
      simulation_.throttle(*session_, refusals);
      simulation_.run_until(acquired);
      ASSERT_TRUE(acquired.result().has_value()) << name(acquired.result().error());
      HeldLock& held = *acquired.result();
      EXPECT_EQ(creates_under(simulation_, held.lock()), refusals);
      simulation_.throttle(*session_, refusals);
      EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
      EXPECT_TRUE(children(simulation_, held.lock()).empty());
    }
  }
}

// Refused deletes have not been applied: another client's delete must not count as ours.
TEST_F(ThrottleTest, ReleaseOfAZnodeThatOthersDeletedIsAlreadyLost) {
  FairMutex mutex(*session_, "/lock");
  HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  must(simulation_.run(remove(*other_, held.znode())), "remove");
  simulation_.throttle(*session_, 3);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
}

TEST_F(ThrottleTest, DeadlineEndsAnAcquireThatIsRefusedForever) {
  FairMutex mutex(*session_, "/lock");
  simulation_.throttle(*session_, 1'000'000);
  const TimePoint deadline = simulation_.now() + 5s;
  EXPECT_EQ(error_of(simulation_.run(mutex.acquire(deadline))), Error::kTimedOut);
  EXPECT_EQ(simulation_.now(), deadline);
  simulation_.throttle(*session_, 0);
  simulation_.run();
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(ThrottleTest, GuaranteedDeletesSurviveThrottling) {
  FairMutex mutex(*session_, "/lock");
  for (std::uint32_t refusals = 1; refusals < 12; ++refusals) {
    {
      const HeldLock dropped = must(simulation_.run(mutex.acquire()), "acquire");
    }
    simulation_.throttle(*session_, refusals);
    simulation_.run();
    EXPECT_TRUE(children(simulation_, "/lock").empty()) << refusals;
    EXPECT_TRUE(session_->background().empty());
  }
}

// The reply to the create is lost, and the search for the znode is throttled again and again. A
// second znode would wait for the first.
TEST_F(ThrottleTest, SearchForALostCreateGoesOnUntilItIsAnswered) {
  for (std::uint32_t refusals = 1; refusals < 8; ++refusals) {
    SCOPED_TRACE(refusals);
    const Path lock = Path("/") / std::to_string(refusals);
    must(simulation_.run(create(*other_, lock)), "create");
    const auto created = simulation_.start(place_in(*session_, lock));
    simulation_.cut(*session_, 1, 0);  // Applied, but the client does not learn of it.
    simulation_.settle();
    simulation_.throttle(*session_, refusals);
    simulation_.run_until(created);
    ASSERT_TRUE(created.result().has_value());
    EXPECT_EQ(creates_under(simulation_, lock), 1U);
  }
}

// The same, but the acquire gives up before it finds the znode.
TEST_F(ThrottleTest, OrphanOfALostCreateIsDeletedDespiteAThrottledSearch) {
  {
    Started<Result<Created>> created =
        simulation_.start(place_in(*session_, "/lock", simulation_.now() + 1s));
    simulation_.hold_inbox(*session_);
    simulation_.run_until(created);
  }
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
  simulation_.let_go(*session_);
  simulation_.throttle(*session_, 5);
  simulation_.run();
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

// The pauses grow up to a limit, and two clients that were refused together do not return together.
TEST(RetryTest, PausesGrowWithJitter) {
  fakezk::RandomStream random(1);
  for (std::uint32_t refusals = 0; refusals < 40; ++refusals) {
    const Duration full = refusals < 6 ? Retry::kFirstPause * (1 << refusals) : 1s;
    const Duration first = Retry::pause(random, refusals);
    const Duration second = Retry::pause(random, refusals);
    for (const Duration pause : {first, second}) {
      EXPECT_GE(pause, full / 2);
      EXPECT_LE(pause, full);
    }
    EXPECT_NE(first, second);
  }
}

// ------------------------------------------------------------------------------- every recipe

// A use of a recipe that sends one request after another.
struct Use {
  const char* name;
  std::function<Task<void>(Session& session)> run;
};
void PrintTo(const Use& use, std::ostream* out) { *out << use.name; }

Task<void> use_unfair(Session& session) {
  UnfairMutex mutex(session, "/unfair/lock");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}
Task<void> use_read_write(Session& session) {
  ReadWriteLock lock(session, "/rw");
  HeldLock held = must(co_await lock.acquire_read(), "acquire_read");
  must(co_await lock.upgrade(held), "upgrade");
  must(co_await lock.downgrade(held), "downgrade");
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}
Task<void> use_semaphore(Session& session) {
  must(co_await set_shared_count(session, "/count", 1), "set_shared_count");
  Semaphore semaphore(session, "/semaphore", Path("/count"));
  HeldLock held = must(co_await semaphore.acquire(), "acquire");
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}
Task<void> use_election(Session& session) {
  LeaderElection election(session, "/election", Data("me"));
  HeldLock leads = must(co_await election.campaign(), "campaign");
  must(co_await election.proclaim(leads, Data("you")), "proclaim");
  const auto leader = must(co_await election.leader(), "leader");
  EXPECT_EQ(leader->candidate, Data("you"));
  EXPECT_EQ(co_await leads.release(), ReleaseOutcome::kReleased);
}
Task<void> use_revocation(Session& session) {
  LockOptions options;
  options.revocable = true;
  FairMutex mutex(session, "/revocable", std::move(options));
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  must(co_await revoke(session, "/revocable"), "revoke");
  const auto queue = must(co_await mutex.contenders(), "contenders");
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}

class ThrottledUseTest : public ::testing::TestWithParam<Use> {};

// Each request is refused once, or several in a row.
TEST_P(ThrottledUseTest, SurvivesThrottling) {
  for (const std::uint32_t refusals : {1U, 3U}) {
    for (int steps = 0; steps < 60; ++steps) {
      SCOPED_TRACE(testing::Message() << refusals << " at step " << steps);
      Simulation simulation;
      const auto session = simulation.open("A");
      bool done = false;
      const auto use = [](Task<void> task, bool& ended) -> Task<void> {
        co_await std::move(task);
        ended = true;
      };
      simulation.start(use(GetParam().run(*session), done));
      run_steps(simulation, steps);
      simulation.throttle(*session, refusals);
      simulation.run();
      ASSERT_TRUE(done);
      EXPECT_TRUE(session->background().empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, ThrottledUseTest,
                         ::testing::Values(Use{"unfair", &use_unfair},
                                           Use{"read_write", &use_read_write},
                                           Use{"semaphore", &use_semaphore},
                                           Use{"election", &use_election},
                                           Use{"revocation", &use_revocation}),
                         [](const auto& use) { return std::string(use.param.name); });

}  // namespace
}  // namespace lockstep
