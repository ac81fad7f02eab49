#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/revocation.h"
#include "lockstep/turn.h"
#include "support/by_hand.h"
#include "support/round_trips.h"

// When the only waiter of a holder takes over on the deletion of the holder's znode, and when it
// lists the queue again.
namespace lockstep {
namespace {

using namespace unit;
using support::RoundTrips;

class TakeOverTest : public SimulatedSessionsTest {
 protected:
  TakeOverTest() {
    must(simulation_.run(create(*a_, "/lock")), "create /lock");
    must(simulation_.run(create(*a_, "/other")), "create /other");
  }
  HeldLock held_by_a() {
    return must(simulation_.run(FairMutex(*a_, "/lock").acquire()), "acquire");
  }
  // Lets B wait for A, and counts its round trips from here.
  Started<Result<HeldLock>> queue_up_b() {
    Started<Result<HeldLock>> by_b = simulation_.start(of_b_.acquire());
    simulation_.settle();
    trips_.start();
    return by_b;
  }
  Path znode_of_b() {
    for (const std::string& name : children(simulation_, "/lock")) {
      const Path found = Path("/lock") / name;
      if (znode(simulation_, found)->ephemeral_owner == b_->id()) return found;
    }
    return Path(Text());
  }

  FairMutex of_b_{*b_, "/lock"};
  RoundTrips trips_{*b_};
};

TEST_F(TakeOverTest, TheDeletionOfTheOnlyOneInFrontIsEnough) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 0U);
  EXPECT_EQ(by_b.result()->state(), LockState::kHeld);
  EXPECT_GT(by_b.result()->fencing_token(), first.fencing_token());
}

// The end of the holder's session counts, too.
TEST_F(TakeOverTest, TheExpiryOfTheOnlyOneInFrontIsEnough) {
  const HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  simulation_.kill(*a_);
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 0U);
}

TEST_F(TakeOverTest, ItGoesOnWithItsWatchOnItsOwnZnode) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  const RequestCounter requests(simulation_);
  must(run_and_settle(remove(*a_, by_b.result()->znode())), "remove");
  EXPECT_EQ(by_b.result()->cause(), Error::kNoNode);
  EXPECT_EQ(requests.of(*b_, OpCode::kGetData), 1U);  // The look after the event.
}

// Curator asks contenders that wait, too.
TEST_F(TakeOverTest, ARequestToRevokeFromTheTimeOfTheWaitIsHeard) {
  HeldLock first = held_by_a();
  FairMutex of_a(*a_, "/lock");
  const auto second = simulation_.start(of_a.acquire());
  simulation_.settle();
  LockOptions options;
  options.revocable = true;
  FairMutex revocable(*b_, "/lock", options);
  const auto by_b = simulation_.start(revocable.acquire());
  simulation_.settle();
  const Path ours = znode_of_b();
  must(simulation_.run(set_data(*a_, ours, Data(kRevokeRequest))), "set_data");
  for (const std::string& name : children(simulation_, "/lock")) {
    const Path found = Path("/lock") / name;
    if (found == ours || found == first.znode()) continue;
    must(simulation_.run(remove(*a_, found)), "remove");
  }
  simulation_.settle();  // Now B watches its own znode and A's.
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  simulation_.settle();
  EXPECT_TRUE(by_b.result()->revoked_token().stop_requested());
}

TEST_F(TakeOverTest, AChangeOfTheDataInFrontIsNoDeletion) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  must(run_and_settle(set_data(*a_, first.znode(), "__REVOKE__")), "set_data");
  EXPECT_FALSE(by_b.done());
  EXPECT_GT(trips_.taken(), 0U);
  simulation_.run(first.release());
  simulation_.run_until(by_b);
}

// The end of the session deletes both in one transaction, and their events come one by one.
TEST_F(TakeOverTest, AZnodeOfItsOwnSessionInFrontMakesItListAgain) {
  HeldLock first = must(simulation_.run(of_b_.acquire()), "acquire");
  const auto by_b = queue_up_b();
  const RequestCounter requests(simulation_);
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(requests.of(*b_, OpCode::kGetChildren), 1U);
}

TEST_F(TakeOverTest, AfterAReconnectItListsAgain) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  disconnect(simulation_, *b_);
  simulation_.run(first.release());
  reconnect(simulation_, *b_);
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 1U);
}

// The events of both deletions come in their order, and the first one counts.
TEST_F(TakeOverTest, AContenderWhoseOwnZnodeWentFirstDoesNotTakeOver) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  must(simulation_.run(remove(*a_, znode_of_b())), "remove");
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(error_of(by_b.result()), Error::kNoNode);
}

TEST_F(TakeOverTest, AnotherSessionsZnodeWithItsNameIsNotItsOwn) {
  HeldLock first = held_by_a();
  simulation_.hold(*b_, OpCode::kGetData);
  const auto by_b = queue_up_b();
  const Path own = znode_of_b();
  must(simulation_.run(remove(*a_, own)), "remove");
  must(simulation_.run(create(*a_, own, Data(), CreateMode::kEphemeral)), "create");
  let_go_and_settle(*b_);
  trips_.start();
  run_and_settle(first.release());
  EXPECT_EQ(trips_.taken(), 1U);
}

TEST_F(TakeOverTest, AnUnprovenSessionListsAgain) {
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  simulation_.advance(1h);  // No grant of B renews its proof of contact.
  EXPECT_LT(*b_->valid_until(), simulation_.now());
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 1U);
}

TEST_F(TakeOverTest, AnyOtherChildMakesItListAgain) {
  must(simulation_.run(create(*a_, "/lock/note")), "create");
  HeldLock first = held_by_a();
  const auto by_b = queue_up_b();
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 1U);
}

// Their contenders may be shared, or numbered differently.
TEST_F(TakeOverTest, MarksOfOtherLibrariesMakeItListAgain) {
  static constexpr std::array kMarks = {Mark{kLockMark, Share::kExclusive},
                                        Mark{"__lock__", Share::kExclusive}};
  LockOptions options;
  options.marks = kMarks;
  FairMutex with_kazoo(*b_, "/lock", options);
  HeldLock first = held_by_a();
  const auto by_b = start_and_settle(with_kazoo.acquire());
  trips_.start();
  simulation_.run(first.release());
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 1U);
}

// It sent its list with its create: the list shows who left before its watch was set.
TEST_F(TakeOverTest, APredecessorThatIsGoneBeforeTheWatchCostsOneList) {
  HeldLock first = held_by_a();
  simulation_.hold(*b_, OpCode::kGetData);
  const auto by_b = queue_up_b();
  simulation_.run(first.release());
  simulation_.let_go(*b_);
  simulation_.run_until(by_b);
  EXPECT_EQ(trips_.taken(), 1U);
}

}  // namespace
}  // namespace lockstep
