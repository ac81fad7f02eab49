#include "lockstep/leader_latch.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/leader_election.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Records what a latch reports, and the server's state at that time.
class Notices final : public LeaderLatch::Listener {
 public:
  explicit Notices(Simulation& simulation) : simulation_(simulation) {}

  void leads(const ClientGrant& leadership) override {
    calls.push_back("leads");
    tokens.push_back(leadership.held.fencing_token());
    znode.emplace(leadership.held.znode());
    if (resigns_at_once) latch->resign();
  }
  void leads_no_more(std::optional<Error> cause) override {
    calls.push_back(cause ? "lost: " + std::string(name(*cause)) : "resigned");
    was_there = simulation_.exists(*znode);
  }

  Calls calls;
  std::vector<Zxid> tokens;
  std::optional<Path> znode;
  bool was_there = false;
  bool resigns_at_once = false;
  LeaderLatch* latch = nullptr;

 private:
  Simulation& simulation_;
};

// Adds the beginning of each release to the calls of a listener.
class Releases final : public LockObserver {
 public:
  explicit Releases(Calls& calls) : calls_(calls) {}
  void releasing(const GrantRecord&) override { calls_.push_back("releasing"); }

 private:
  Calls& calls_;
};

class LeaderLatchTest : public SimulatedTest {
 protected:
  Started<Result<void>> take_part(LeaderLatch& latch) {
    return start_and_settle(latch.take_part(Context(stop_.get_token())));
  }
  std::size_t candidates() { return children(simulation_, "/e").size(); }

  fake::FakeClient& client_of_a_ = simulation_.client("A");
  fake::FakeClient& client_of_b_ = simulation_.client("B");
  Notices a_hears_{simulation_};
  Notices b_hears_{simulation_};
  LeaderLatch of_a_{client_of_a_, "/e", LockOptions("ann"), a_hears_};
  LeaderLatch of_b_{client_of_b_, "/e", LockOptions("bob"), b_hears_};
  std::stop_source stop_;
};

TEST_F(LeaderLatchTest, OneOfThemLeadsAndTheOtherFollowsWhenItResigns) {
  const auto a = take_part(of_a_);
  const auto b = take_part(of_b_);
  EXPECT_TRUE(of_a_.leads());
  EXPECT_FALSE(of_b_.leads());
  of_b_.resign();  // It does not lead.
  of_a_.resign();
  EXPECT_FALSE(of_a_.leads());
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned"}));
  EXPECT_TRUE(a_hears_.was_there);
  simulation_.settle();
  EXPECT_TRUE(of_b_.leads());
  EXPECT_EQ(candidates(), 2U);  // It has queued up again.
  of_b_.resign();
  simulation_.settle();
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned", "leads"}));
  EXPECT_GT(a_hears_.tokens.back(), b_hears_.tokens.back());
  EXPECT_FALSE(a.done());
  EXPECT_FALSE(b.done());
}

TEST_F(LeaderLatchTest, ItIsToldOfTheEndOfItsContextBeforeItsZnodeGoes) {
  Releases releases(a_hears_.calls);
  LeaderLatch latch(client_of_a_, "/e", LockOptions("ann"), a_hears_, &releases);
  const auto a = take_part(latch);
  stop_.request_stop();
  simulation_.settle();
  EXPECT_TRUE(a.done());
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned", "releasing"}));
  EXPECT_TRUE(a_hears_.was_there);
  EXPECT_EQ(candidates(), 0U);
}

TEST_F(LeaderLatchTest, LeadsAgainAfterItsSessionHasExpired) {
  const auto a = take_part(of_a_);
  const auto session = client_of_a_.current();
  kill_and_settle(*session);
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "lost: session expired", "leads"}));
  EXPECT_TRUE(of_a_.leads());
  EXPECT_NE(client_of_a_.current(), session);
  EXPECT_EQ(candidates(), 1U);
  EXPECT_FALSE(a.done());
}

TEST_F(LeaderLatchTest, LeadsAgainAfterItsZnodeHasBeenDeleted) {
  const auto a = take_part(of_a_);
  const auto other = simulation_.open("Operator");
  must(run_and_settle(remove(*other, *a_hears_.znode)), "remove");
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "lost: no node", "leads"}));
  EXPECT_GT(a_hears_.tokens.back(), a_hears_.tokens.front());
  EXPECT_FALSE(a.done());
}

TEST_F(LeaderLatchTest, WaitsAgainAfterItsPlaceInTheQueueIsGone) {
  const auto a = take_part(of_a_);
  const auto b = take_part(of_b_);
  const auto session = client_of_b_.current();
  kill_and_settle(*session);
  EXPECT_EQ(candidates(), 2U);
  EXPECT_TRUE(b_hears_.calls.empty());
  of_a_.resign();
  simulation_.settle();
  EXPECT_TRUE(of_b_.leads());
}

TEST_F(LeaderLatchTest, IsToldOfALossInTheStepOfTheLoss) {
  LockOptions options;
  options.loss = LossPolicy::kOnSuspicion;
  LeaderLatch strict(client_of_a_, "/e", options, a_hears_);
  const auto a = take_part(strict);
  disconnect(simulation_, *client_of_a_.current());
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "lost: contact lost"}));
  EXPECT_TRUE(a_hears_.was_there);
  EXPECT_FALSE(strict.leads());
  reconnect(simulation_, *client_of_a_.current());
  EXPECT_TRUE(strict.leads());
  EXPECT_EQ(candidates(), 1U);
  simulation_.end_tasks();  // The latch outlives them.
}

TEST_F(LeaderLatchTest, AnAskedLeaderResignsOrLosesItsTermAfterTheGrace) {
  LockOptions options;
  options.revocable = true;
  options.grace = 5s;
  LeaderLatch revocable(client_of_a_, "/e", options, a_hears_);
  const auto a = take_part(revocable);
  const auto other = simulation_.open("Operator");
  must(run_and_settle(set_data(*other, *a_hears_.znode, "__REVOKE__")), "ask");
  EXPECT_TRUE(revocable.leads());
  simulation_.advance(5s);
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "lost: revoked", "leads"}));
  simulation_.end_tasks();  // The latch outlives them.
}

TEST_F(LeaderLatchTest, TheEndOfItsContextEndsItsTermFirst) {
  const auto a = take_part(of_a_);
  stop_.request_stop();
  simulation_.settle();
  EXPECT_EQ(error_of(a.result()), Error::kCancelled);
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned"}));
  EXPECT_TRUE(a_hears_.was_there);
  EXPECT_FALSE(of_a_.leads());
  EXPECT_EQ(candidates(), 0U);
}

TEST_F(LeaderLatchTest, ADeadlineEndsItsCandidacy) {
  const auto a = take_part(of_a_);
  const auto b = simulation_.start(of_b_.take_part(Context(simulation_.now() + 5s)));
  simulation_.advance(5s);
  EXPECT_EQ(error_of(b.result()), Error::kTimedOut);
  EXPECT_TRUE(b_hears_.calls.empty());
  EXPECT_EQ(candidates(), 1U);
}

TEST_F(LeaderLatchTest, ADestroyedTaskIsToldOnceAndLeavesNothing) {
  {
    TaskSet tasks;
    tasks.spawn(ignore(of_a_.take_part()));
    simulation_.settle();
    EXPECT_TRUE(of_a_.leads());
  }
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned"}));
  EXPECT_FALSE(of_a_.leads());
  simulation_.settle();
  EXPECT_EQ(candidates(), 0U);
  const auto again = take_part(of_a_);
  EXPECT_TRUE(of_a_.leads());
}

TEST_F(LeaderLatchTest, MayResignWhileItIsToldToLead) {
  a_hears_.resigns_at_once = true;
  a_hears_.latch = &of_a_;
  const auto b = take_part(of_b_);
  const auto a = take_part(of_a_);
  of_b_.resign();
  while (a_hears_.calls.size() < 2) run_steps(simulation_, 1);
  EXPECT_EQ(a_hears_.calls, (Calls{"leads", "resigned"}));
}

class ThrowingListener final : public LeaderLatch::Listener {
 public:
  void leads(const ClientGrant&) override { throw std::runtime_error("not today"); }
  void leads_no_more(std::optional<Error>) override { ++ends; }
  int ends = 0;
};

TEST_F(LeaderLatchTest, AnExceptionOfItsListenerEndsItsTerm) {
  ThrowingListener hears;
  LeaderLatch latch(client_of_a_, "/e", LockOptions("ann"), hears);
  EXPECT_THROW(static_cast<void>(simulation_.run(latch.take_part())), std::runtime_error);
  EXPECT_FALSE(latch.leads());
  latch.resign();
  EXPECT_EQ(hears.ends, 0);
  simulation_.settle();
  EXPECT_EQ(candidates(), 0U);
}

TEST_F(LeaderLatchTest, ObserversSeeWhoLeads) {
  const auto a = take_part(of_a_);
  const auto other = simulation_.open("Observer");
  LeaderElection election(*other, "/e", Data());
  const auto leader = must(simulation_.run(election.leader()), "leader");
  ASSERT_TRUE(leader.has_value());
  EXPECT_EQ(leader->candidate, Data("ann"));
  EXPECT_EQ(leader->token, a_hears_.tokens.front());
}

TEST_F(LeaderLatchTest, BadInputAndASecondTaskAreErrors) {
  const auto a = take_part(of_a_);
  EXPECT_EQ(error_of(simulation_.run(of_a_.take_part())), Error::kConflict);
  LeaderLatch relative(client_of_b_, "e", LockOptions(), b_hears_);
  EXPECT_EQ(error_of(simulation_.run(relative.take_part())), Error::kBadArguments);
  LockOptions options;
  options.grace = 0s;
  LeaderLatch graceless(client_of_b_, "/e", options, b_hears_);
  EXPECT_EQ(error_of(simulation_.run(graceless.take_part())), Error::kBadArguments);
  EXPECT_TRUE(b_hears_.calls.empty());
  must(simulation_.run(client_of_b_.session(Context())), "session");
  must(simulation_.run(close(*client_of_b_.current())), "close");
  EXPECT_TRUE(of_a_.leads());
}

}  // namespace
}  // namespace lockstep
