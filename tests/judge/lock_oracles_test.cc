#include "lockstep/judge/lock_oracles.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "oracles_by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

using LockOraclesTest = OraclesByHand;

TEST_F(LockOraclesTest, EvidenceOfTheFutureIsMisuse) {
  GrantRecord record = grant(*a_, place(*a_));
  record.evidence += 1000;
  oracles_.granted(record);
  expect_broken("misuse", "is not a zxid yet");
}

TEST_F(LockOraclesTest, SoundHistoryBreaksNothing) {
  const Created a = place(*a_);
  const Created b = place(*b_);
  hold_and_release(*a_, a);
  hold_and_release(*b_, b);
  const Created again = place(*a_);
  const GrantRecord record = grant(*a_, again);
  oracles_.granted(record);
  simulation_.kill(*a_);
  simulation_.settle();
  oracles_.lost(record, Error::kSessionExpired);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, CertainGrantMayBeHandedOn) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  oracles_.handed_on(record, 2);
  oracles_.suspected(record);
  oracles_.held_again(record);
  oracles_.handed_on(record, 3);
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, HandingOnASuspectGrantBreaksS4) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  oracles_.suspected(record);
  oracles_.handed_on(record, 2);
  expect_broken("S4", "no longer sure of it");
}

TEST_F(LockOraclesTest, HandingOnALostGrantBreaksS4) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  simulation_.kill(*a_);
  simulation_.settle();
  oracles_.lost(record, Error::kSessionExpired);
  oracles_.handed_on(record, 2);
  expect_broken("S4", "after it had ended");
}

TEST_F(LockOraclesTest, HandingOnAReleasedGrantBreaksS4) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  oracles_.releasing(record);
  oracles_.handed_on(record, 2);
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LockOraclesTest, HandingOnWithoutAGrantBreaksS4) {
  oracles_.handed_on(grant(*a_, place(*a_)), 2);
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LockOraclesTest, LocksDoNotInterfere) {
  must(simulation_.run(create(*a_, "/other")), "create");
  const Created one = place(*a_);
  const Created other = place(*b_, "/other/x-lock-");
  oracles_.granted(grant(*b_, other));
  oracles_.granted(grant(*a_, one));
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, OtherChildrenAreNoContenders) {
  place(*b_, "/lock/config", CreateMode::kEphemeral);
  place(*b_, "/lock/x-lock-", CreateMode::kPersistentSequential);
  oracles_.granted(grant(*a_, place(*a_)));
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, ReusedNameIsAnotherContender) {
  const Created first = place(*a_);
  hold_and_release(*a_, first);
  must(simulation_.run(remove(*a_, "/lock")), "remove");
  must(simulation_.run(create(*a_, "/lock")), "create");
  const Created second = place(*b_);
  ASSERT_EQ(second.path, first.path);
  hold_and_release(*b_, second);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "") << message();
}

// ---------------------------------------------------------------------------------------- S1

TEST_F(LockOraclesTest, GrantWithAContenderInFrontBreaksS1) {
  place(*a_);
  const Created b = place(*b_);
  oracles_.granted(grant(*b_, b));
  expect_broken("S1", "was in front of it: the grant rests on the queue as of zxid " +
                          std::to_string(b.stat.czxid) + ", and the znode in front is still there");
}

TEST_F(LockOraclesTest, TheReportOfS1SaysWhenTheZnodeInFrontWent) {
  const Created a = place(*a_);
  const GrantRecord too_early = grant(*b_, place(*b_));
  remove_znode(*a_, a);
  oracles_.granted(too_early);
  EXPECT_EQ(broken(), "S1");
  const Zxid gone = simulation_.world().server().last_zxid();
  EXPECT_TRUE(message().ends_with("was deleted at zxid " + std::to_string(gone))) << message();
}

TEST_F(LockOraclesTest, GrantBesideALiveGrantBreaksS1) {
  const Created a = place(*a_);
  oracles_.granted(grant(*a_, a));
  // It has chosen its own number, so no contender is in front of it.
  const Created b = place(*b_, "/lock/x-lock--000000001", CreateMode::kEphemeral);
  oracles_.granted(grant(*b_, b));
  expect_broken("S1", "at the same time");
}

TEST_F(LockOraclesTest, GrantThatWasAlreadyOverBreaksS1) {
  const Created a = place(*a_);
  const GrantRecord record = grant(*a_, a);
  remove_znode(*a_, a);
  const GrantRecord late(record.session, record.lock, record.znode, record.token,
                         znode(simulation_, "/lock")->pzxid);
  oracles_.granted(late);
  EXPECT_EQ(broken(), "S1");
}

// The client may learn of it late, but it was true on the server at the evidence.
TEST_F(LockOraclesTest, GrantThatWasTrueAtItsEvidenceIsSound) {
  const Created a = place(*a_);
  const GrantRecord record = grant(*a_, a);
  const Created b = place(*b_);
  simulation_.kill(*a_);
  simulation_.settle();
  hold_and_release(*b_, b);
  oracles_.granted(record);
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, GrantThatRestsOnAnEarlierListBreaksS1) {
  const Zxid before = znode(simulation_, "/lock")->pzxid;
  const Created a = place(*a_);
  oracles_.granted(GrantRecord(a_->id(), "/lock", a.path, a.stat.czxid, before));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(LockOraclesTest, GrantOfAnotherSessionsZnodeBreaksS1) {
  oracles_.granted(grant(*b_, place(*a_)));
  expect_broken("S1", "another session");
}

TEST_F(LockOraclesTest, GrantOfAZnodeThatNeverExistedBreaksS1) {
  oracles_.granted(GrantRecord(a_->id(), "/lock", "/lock/x-lock-0000000000", 1, 1));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(LockOraclesTest, GrantOfAnotherLifeOfItsZnodeBreaksS1) {
  const Created a = place(*a_);
  oracles_.granted(
      GrantRecord(a_->id(), "/lock", a.path, a.stat.czxid - 1, znode(simulation_, "/lock")->pzxid));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(LockOraclesTest, SecondGrantOfOneZnodeBreaksS1) {
  const Created a = place(*a_);
  oracles_.granted(grant(*a_, a));
  oracles_.granted(grant(*a_, a));
  expect_broken("S1", "granted twice");
}

TEST_F(LockOraclesTest, GrantsOfOneQueueAreComparedWhateverLockTheyReport) {
  oracles_.granted(grant(*a_, place(*a_)));
  GrantRecord record = grant(*b_, place(*b_, "/lock/x-lock--000000001", CreateMode::kEphemeral));
  record.lock = "/";
  oracles_.granted(record);
  expect_broken("S1", "at the same time");
}

// -------------------------------------------------------------------------------------- S3, L2

// A latecomer takes a lower number: no contender is in front of it, and no two hold at once, but
// the tokens fall. (That also breaks the order, L2, which is checked after S3.)
TEST_F(LockOraclesTest, TokenThatFallsBreaksS3) {
  const Created a = place(*a_);
  const Created b = place(*b_, "/lock/x-lock--000000001", CreateMode::kEphemeral);
  hold_and_release(*b_, b);
  EXPECT_EQ(broken(), "");
  hold_and_release(*a_, a);
  EXPECT_EQ(broken(), "S3");
}

// ---------------------------------------------------------------------------------------- S4

TEST_F(LockOraclesTest, DeletingAnotherClientsPlaceBreaksS4) {
  const Created a = place(*a_);
  place(*b_);
  remove_znode(*b_, a);
  oracles_.gave_up(b_->id(), "/lock", Error::kTimedOut);
  EXPECT_EQ(broken(), "S4");
  // Sessions of known processes have the names of the lanes, other sessions their ids.
  EXPECT_NE(message().find("deleted by session 0x"), std::string::npos) << message();
}

TEST_F(LockOraclesTest, DeletingOnesOwnPlaceOrEndingIsSound) {
  const Created a = place(*a_);
  place(*b_);
  remove_znode(*a_, a);
  must(simulation_.run(close(*b_)), "close");
  oracles_.gave_up(a_->id(), "/lock", Error::kTimedOut);
  EXPECT_EQ(broken(), "") << message();
}

// ---------------------------------------------------------------------------------------- S5

TEST_F(LockOraclesTest, PlaceThatIsNotDeletedBreaksS5) {
  oracles_.acquiring(a_->id(), 0);
  place(*a_);
  oracles_.gave_up(a_->id(), "/lock", Error::kTimedOut);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "");  // Its acquire is still in progress.
  EXPECT_EQ(oracles_.judged().of(search::Oracle::kS5), 0U);
  oracles_.resolved(a_->id());
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "S5");
  EXPECT_EQ(oracles_.judged().of(search::Oracle::kS5), 1U);
}

TEST_F(LockOraclesTest, PlaceOfASessionThatAcquiresTwiceIsInUseUntilBothHaveResolved) {
  oracles_.acquiring(a_->id(), 0);
  oracles_.acquiring(a_->id(), 0);
  place(*a_);
  oracles_.resolved(a_->id());
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "");
  oracles_.resolved(a_->id());
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "S5");
}

TEST_F(LockOraclesTest, HeldLockIsNoOrphanUntilItsRelease) {
  const Created a = place(*a_);
  const GrantRecord record = grant(*a_, a);
  oracles_.granted(record);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "");
  oracles_.released(record, ReleaseOutcome::kUnknown);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "S5");
}

TEST_F(LockOraclesTest, PlaceOfASessionThatIsOverIsNoOrphan) {
  place(*a_);
  simulation_.kill(*a_);  // Decided, but not done yet.
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "");
}

TEST_F(LockOraclesTest, AZnodeMadeInOneTransactionWithAHeldOneIsAnOrphan) {
  const auto make_both = [](Session& session) -> Task<bool> {
    const Creation place = CreateMode::kEphemeralSequential;
    Transaction both =
        Transaction().create("/lock/x-lock-", Data(), place).create("/lock/y-lock-", Data(), place);
    const auto made = co_await session.multi(std::move(both));
    co_return made.has_value();
  };
  ASSERT_TRUE(simulation_.run(make_both(*a_)));
  const Path first = "/lock/x-lock-0000000000";
  const Zxid created = znode(simulation_, first)->czxid;
  oracles_.granted(GrantRecord(a_->id(), "/lock", first, created, created));
  oracles_.check_orphans();
  expect_broken("S5", "/lock/y-lock-0000000001 is still there");
}

// ------------------------------------------------------------------------------------- R1, R2

TEST_F(LockOraclesTest, LossReportedTwiceBreaksR1) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  oracles_.lost(record, Error::kSessionExpired);
  EXPECT_EQ(broken(), "");
  oracles_.lost(record, Error::kSessionExpired);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(LockOraclesTest, LossAfterTheReleaseBreaksR1) {
  const Created a = place(*a_);
  const GrantRecord record = grant(*a_, a);
  hold_and_release(*a_, a);
  oracles_.lost(record, Error::kSessionExpired);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(LockOraclesTest, LossWithoutAGrantBreaksR1) {
  oracles_.lost(grant(*a_, place(*a_)), Error::kSessionExpired);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(LockOraclesTest, SecondReleaseWithAnotherOutcomeBreaksR2) {
  const Created a = place(*a_);
  hold_and_release(*a_, a);
  oracles_.released_again(a.path, ReleaseOutcome::kReleased, ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "");
  oracles_.released_again(a.path, ReleaseOutcome::kReleased, ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(broken(), "R2");
}

TEST_F(LockOraclesTest, ReleaseThatLeavesTheZnodeBreaksR2) {
  const GrantRecord record = grant(*a_, place(*a_));
  oracles_.granted(record);
  oracles_.released(record, ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "R2");
}

// --------------------------------------------------------------------------------- L3 and L4

TEST_F(LockOraclesTest, SecondLookAtTheSamePredecessorBreaksL3) {
  place(*a_);
  const Created b = place(*b_);
  oracles_.waiting(b_->id(), b.path, 1);
  place(*a_);  // Something happens, but not in front of it.
  oracles_.waiting(b_->id(), b.path, 1);
  EXPECT_EQ(broken(), "L3");
}

// Two users of a session are two contenders. Such a wake was once taken for one in vain.
TEST_F(LockOraclesTest, AWakeByAnotherUserOfTheSessionIsSound) {
  place(*b_);
  const Created first = place(*a_);
  const Created second = place(*a_);
  oracles_.waiting(a_->id(), second.path, 2);
  remove_znode(*a_, first);
  oracles_.waiting(a_->id(), second.path, 1);
  EXPECT_EQ(broken(), "") << message();
  for (int look = 0; look < 2; ++look) {  // From here on only the first one is in front.
    place(*b_);
    oracles_.waiting(a_->id(), second.path, 1);
  }
  EXPECT_EQ(broken(), "L3");
}

TEST_F(LockOraclesTest, SecondLookAtAnotherUserOfTheSessionBreaksL3) {
  place(*a_);
  const Created second = place(*a_);
  oracles_.waiting(a_->id(), second.path, 1);
  place(*b_);
  oracles_.waiting(a_->id(), second.path, 1);
  EXPECT_EQ(broken(), "L3");
}

TEST_F(LockOraclesTest, LooksAtAnUnchangedQueueAreALivelock) {
  place(*a_);
  const Created b = place(*b_);
  oracles_.acquiring(b_->id(), 1);
  for (int look = 0; look < kIdleLooks; ++look) oracles_.waiting(b_->id(), b.path, 1);
  EXPECT_EQ(broken(), "") << message();
  oracles_.waiting(b_->id(), b.path, 1);
  expect_broken("livelock", "process 1 has looked at the queue");
}

// A leader's data may change any number of times, and wakes who watches it.
TEST_F(LockOraclesTest, LooksAfterNewDataAreNoLivelock) {
  const Created a = place(*a_);
  const Created b = place(*b_);
  for (int look = 0; look < 2 * kIdleLooks; ++look) {
    must(simulation_.run(set_data(*a_, a.path, Data("data"))), "set data");
    oracles_.waiting(b_->id(), b.path, 1);
  }
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, PlacesOfOneAcquireAreCountedForEachLock) {
  constexpr int kMostPlaces = 16;
  const Created ours = place(*a_);
  oracles_.acquiring(a_->id(), 0);
  for (int lock = 0; lock < 2 * kMostPlaces; ++lock) {
    oracles_.place_reserved(a_->id(), Path("/locks/" + std::to_string(lock)), ours.path);
  }
  EXPECT_EQ(broken(), "") << message();
  for (int place = 1; place < kMostPlaces; ++place) {
    oracles_.place_reserved(a_->id(), Path("/locks/0"), ours.path);
  }
  EXPECT_EQ(broken(), "") << message();
  oracles_.place_reserved(a_->id(), Path("/locks/0"), ours.path);
  EXPECT_EQ(broken(), "livelock");
}

// Hunts on three servers once took this for a useless wake. On the leader, the two in front had
// gone before the contender first looked at its queue, but its server lagged.
TEST(LaggingOraclesTest, WakeByThePredecessorOnALaggingServerIsSound) {
  constexpr ReplicaIndex kLagging = 2;
  ServerOptions servers{.replicas = 3};
  Simulation simulation(servers);
  const auto open = [&](const char* name, ReplicaIndex replica) {
    auto session = std::make_shared<FakeSession>(simulation.client(name).process(), 10s);
    simulation.send_to(*session, replica);
    simulation.settle();
    return session;
  };
  const auto near = open("A", 0);
  const auto far = open("B", kLagging);
  must(simulation.run(create(*near, "/lock")), "create");
  search::Verdict verdict;
  judge::LockOracles oracles("-lock-");
  oracles.begin(simulation.world(), verdict);
  const auto place = [&](FakeSession& owner) {
    return must(
        simulation.run(create(owner, "/lock/x-lock-", Data(), CreateMode::kEphemeralSequential)),
        "create");
  };
  place(*near);
  const Created second = place(*near);
  const Created third = place(*near);
  const Created own = place(*far);
  simulation.fall_behind(kLagging);
  must(simulation.run(remove(*near, third.path)), "remove");
  must(simulation.run(remove(*near, second.path)), "remove");
  oracles.waiting(far->id(), own.path, 3);
  // The lagging server applies the two deletions of the leader one after another.
  simulation.world().servers().replicate(kLagging, simulation.now());
  oracles.waiting(far->id(), own.path, 2);
  place(*near);
  simulation.world().servers().replicate(kLagging, simulation.now());
  oracles.waiting(far->id(), own.path, 1);
  EXPECT_FALSE(verdict.violation()) << verdict.violation()->message;
  simulation.catch_up(kLagging);
  for (int look = 0; look < 2; ++look) {  // From here on it waits for the first one, which stays.
    place(*near);
    oracles.waiting(far->id(), own.path, 1);
  }
  ASSERT_TRUE(verdict.violation());
  EXPECT_EQ(verdict.violation()->oracle, "L3");
}

TEST_F(LockOraclesTest, AcquireThatOutlivesItsDeadlineBreaksL4) {
  oracles_.acquiring(a_->id(), 0, simulation_.now() + 1s);
  simulation_.advance(1s);
  oracles_.resolved(a_->id());
  EXPECT_EQ(broken(), "") << message();
  oracles_.acquiring(a_->id(), 0, simulation_.now() + 1s);
  simulation_.advance(1s + 1ms);
  oracles_.resolved(a_->id());
  EXPECT_EQ(broken(), "L4");
}

// Found by a hunt of revocable-mutex with fault budget 3, in execution 1989600.
TEST_F(LockOraclesTest, DeadlineThatAFastClockSkipsComesWithTheNextTick) {
  simulation_.world().faults().drift(simulation_.world().process(0), true);
  const TimePoint deadline = simulation_.world().process(0).now() + Duration(kDriftParts);
  oracles_.acquiring(a_->id(), 0, deadline);
  simulation_.advance(Duration(kDriftParts));
  ASSERT_EQ(simulation_.world().process(0).now(), deadline + Duration(1));
  oracles_.resolved(a_->id());
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LockOraclesTest, BeginningAgainForgetsEverything) {
  const Created a = place(*a_);
  oracles_.granted(grant(*a_, a));
  verdict_.clear();
  oracles_.begin(simulation_.world(), verdict_);
  oracles_.granted(grant(*a_, a));
  EXPECT_EQ(broken(), "") << message();
}

}  // namespace
}  // namespace lockstep::fakezk
