// Ends that a real server does not reach on demand, each with the line of ZooKeeper that it
// follows.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/by_hand.h"

namespace lockstep::fake {
namespace {

using namespace unit;

constexpr auto kSequential = CreateMode::kPersistentSequential;

class EndsTest : public SimulatedSessionTest {
 protected:
  std::string sequential(const char* prefix) {
    const auto created = simulation_.run(create(*session_, prefix, Data(), kSequential));
    return created ? created->path.string() : std::string(name(created.error()));
  }
};

// DataTree.createNode: `if (parentCVersion > parent.stat.getCversion())` only raises the counter.
TEST_F(EndsTest, Z31TheCounterSticksAtItsEnd) {
  must(simulation_.run(create(*session_, "/p")), "create");
  simulation_.wind_sequence("/p", std::numeric_limits<std::int32_t>::max() - 1);
  EXPECT_EQ(sequential("/p/n"), "/p/n2147483646");
  EXPECT_EQ(sequential("/p/n"), "/p/n2147483647");
  const Stat before = must(simulation_.run(exists(*session_, "/p")), "exists");
  EXPECT_EQ(sequential("/p/n"), "node exists");
  EXPECT_EQ(sequential("/p/m"), "/p/m2147483647");
  EXPECT_EQ(must(simulation_.run(exists(*session_, "/p")), "exists").pzxid, before.pzxid);
}

// PrepRequestProcessor sees the outstanding ChangeRecord of the previous operation, which wraps
// around.
TEST_F(EndsTest, Z31WithinAMultiTheCounterWrapsAround) {
  must(simulation_.run(create(*session_, "/p")), "create");
  simulation_.wind_sequence("/p", std::numeric_limits<std::int32_t>::max());
  const auto commit = [](Session& session) -> Task<std::string> {
    const auto results = co_await session.multi(Transaction()
                                                    .create("/p/n", Data(), kSequential)
                                                    .create("/p/n", Data(), kSequential)
                                                    .create("/p/n", Data(), kSequential));
    if (!results) co_return std::string(name(results.error().error));
    std::string names;
    for (const OpResult& result : *results) names += result.path.string() + ' ';
    co_return names;
  };
  EXPECT_EQ(simulation_.run(commit(*session_)), "/p/n2147483647 /p/n-2147483648 /p/n-2147483647 ");
}

// ZooKeeperServer.submitRequestNow: touch() fails for a closing session, and nothing is answered.
TEST_F(EndsTest, Z28ARequestOfASessionThatIsBeingClosedIsDropped) {
  const auto other = simulation_.open("B");
  simulation_.kill(*session_);
  const auto write = start_and_settle(create(*session_, "/a"));
  EXPECT_EQ(write.result().error(), Error::kConnectionLoss);
  EXPECT_FALSE(simulation_.exists("/a"));
  EXPECT_EQ(session_->state(), SessionState::kExpired);
}

// ExpiryQueue.poll returns a bucket as a set: its sessions end in any order.
TEST_F(EndsTest, Z57SessionsOfOneBucketEndInAnyOrder) {
  const auto other = simulation_.open("B");
  for (const auto& session : {session_, other}) {
    simulation_.cut(*session);
    simulation_.world().network().abandon(session->link());
  }
  fakezk::Calm calm;
  ASSERT_TRUE(simulation_.world().step(calm));  // The clock moves to the bucket.
  EXPECT_EQ(simulation_.world().server().closing().size(), 2U);
}

// ServerCnxn.process in a server that closes right after its answer, which may be lost.
TEST_F(EndsTest, Z66ARejectionMayGoUnheard) {
  class Deaf final : public fakezk::Chooser {
   public:
    fakezk::Choice next(const fakezk::Menu&) override { return {}; }
    std::uint32_t number(std::uint32_t) override { return heard ? 0 : 1; }
    bool heard = false;
  };
  const auto add_auth = [](Session& session) -> Task<Result<void>> {
    co_return co_await session.add_auth("unknown", "x");
  };
  const auto rejected = simulation_.start(add_auth(*session_));
  Deaf chooser;
  while (!rejected.done()) ASSERT_TRUE(simulation_.world().step(chooser));
  EXPECT_EQ(rejected.result().error(), Error::kConnectionLoss);
  chooser.heard = true;
  while (session_->state() != SessionState::kAuthFailed) {
    ASSERT_TRUE(simulation_.world().step(chooser));
  }
}

}  // namespace
}  // namespace lockstep::fake
