// Footprints of state that shows only if two steps touch it in one order, and not in the other.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/held_lock.h"
#include "lockstep/judge/lock_oracles.h"
#include "lockstep/judge/shared_resource.h"
#include "lockstep/search/exhaustive.h"
#include "plays.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;
using namespace std::chrono_literals;

constexpr const char* kAnn = "ann:secret";

// Only Ann may read it; everyone may write it.
Creation for_ann() {
  std::vector<AclEntry> entries;
  entries.emplace_back(permission::kRead, "digest", "ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=");
  entries.emplace_back(permission::kWrite, "world", "anyone");
  return Creation(CreateMode::kPersistent, Acl(std::move(entries)));
}

// Authenticates when it is told to.
Task<void> watch_and_authenticate(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const Creation creation = for_ann();
  static_cast<void>(co_await (*session)->create("/ann", Data(), creation));
  const auto secret = co_await (*session)->exists_watched("/ann");
  const auto told = co_await (*session)->get_data_watched("/a");
  static_cast<void>(co_await told->watch.fired());
  static_cast<void>(co_await (*session)->add_auth("digest", Data(kAnn)));
}

Task<void> tell_and_write(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->set_data("/a", "1"));
  static_cast<void>(co_await (*session)->set_data("/ann", "1"));
}

// A connection's identities decide whether its client may learn of a change.
TEST(ExhaustiveFootprintsTest, ContainTheIdentitiesOfAConnection) {
  Play play({&watch_and_authenticate, &tell_and_write});
  expect_agreement(play);
}

// Touches the same as the other actor only if it comes first.
Task<void> look_around(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  FootprintRecorder* const recorder = self.client().process().world().recorder();
  if (self.client().name() == "A") {
    recorder->reads(ObjectKind::kOracle);
    self.shared = 1;
  } else if (self.shared == 0) {
    recorder->writes(ObjectKind::kOracle);
  }
}

// Two steps that are independent in only one order are dependent. Otherwise some orders would be
// left out, and which ones would depend on the reduction.
TEST(ExhaustiveFootprintsTest, AreTheSameInBothOrders) {
  Play play({&look_around, &look_around});
  for (const search::Reduction reduction :
       {search::Reduction::kSleep, search::Reduction::kSource}) {
    const search::ExhaustiveResult result = explore(play, reduction);
    EXPECT_FALSE(result.exhausted);
    EXPECT_EQ(result.independence_violated, "deliver over link 0, deliver over link 1");
  }
}

// A world with so many paths that a hunt would soon forget them all.
class Crowded final : public Play {
 public:
  using Play::Play;
  void reset(World& world) override {
    world.reset();
    for (; paths_ < kPaths; ++paths_) {
      const Path path("/" + std::to_string(paths_));
      world.servers().create_as_operator(Request(OpCode::kCreate, path), world.now());
    }
    world.reset();
  }

 private:
  static constexpr int kPaths = 65'530;
  int paths_ = 0;
};

// The footprints of one execution are compared with those of later ones.
TEST(ExhaustiveFootprintsTest, NameAZnodeAlikeInAllExecutions) {
  Crowded play({&write_once<'a'>, &write_once<'a'>});
  EXPECT_EQ(explore(play, search::Reduction::kSleep).traces, 2U);
  Crowded again({&write_once<'a'>, &write_once<'a'>});
  EXPECT_EQ(explore(again, search::Reduction::kSource).traces, 2U);
}

Task<void> create_for_a_while(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const Creation creation(CreateMode::kPersistentWithTtl, 59s);
  static_cast<void>(co_await (*session)->create("/for-a-while", Data(), creation));
}

// The time to live counts from the last write.
TEST(ExhaustiveFootprintsTest, ContainATimeToLive) {
  ServerOptions options{.ttl_enabled = true};
  Play play({&create_for_a_while, &ephemeral}, true, options);
  expect_agreement(play, "expiry", 1);
}

Task<void> sleep_for_a_while(Actor& self) {
  static_cast<void>(co_await sleep_for(self.client().executor(), 2500ms));
}

// Opens one more session, and keeps it.
Task<void> come_and_stay(Actor& self) {
  self.client().process().tasks().spawn(sleep_for_a_while(self));
  const auto session = std::make_shared<fake::FakeSession>(self.client().process(),
                                                           fake::FakeClient::kDefaultTimeout);
  static_cast<void>(co_await session->connected());
  static_cast<void>(co_await sleep_for(self.client().executor(), 1h));
}

// A server that loses its leader has not yet reported the sessions that it heard in the last half
// tick; but the leader itself has heard a handshake. Whether that comes before or after the clock
// moves decides in which tick the session expires: before its server is back, or after.
TEST(ExhaustiveFootprintsTest, ContainTheTimeOfAHandshakeAtTheLeader) {
  Play play({&come_and_stay}, true, quiet(2));
  expect_agreement(play, "timer:1,replica-partition:1", 2);
}

// The footprints of hand-made steps.
class StepsByHandTest : public ::testing::Test {
 protected:
  ~StepsByHandTest() override { simulation_.world().record_footprints(nullptr); }
  std::shared_ptr<FakeSession> open(const char* name) {
    auto session = std::make_shared<FakeSession>(simulation_.client(name).process(), 10s);
    simulation_.settle();
    return session;
  }
  template <class Act>
  Footprint touched(Act act) {
    Footprint footprint;
    simulation_.world().record_footprints(&recorder_);
    recorder_.begin_step(0, footprint);
    act();
    recorder_.pause();
    return footprint;
  }

  fake::Simulation simulation_{quiet()};
  FootprintRecorder recorder_;
};

// The servers hear of a session while its messages arrive: its clock shows whether a message or the
// stall came first.
TEST_F(StepsByHandTest, MessagesOfAProcessConflictWithItsStall) {
  const auto session = open("A");
  World& world = simulation_.world();
  must(simulation_.run(create(*session, "/a", "x")), "create");
  const Watch watch = must(simulation_.run(watch_data(*session, "/a")), "watch");
  simulation_.cut(*session);
  // The connection ends, a handshake and its answer follow; then the watches arrive.
  Calm calm;
  for (int i = 0; i < 3; ++i) world.step_without_time(calm);
  ASSERT_EQ(world.network()[session->link()].requests.size(), 1U);
  const Footprint arrives = touched([&] { world.step_without_time(calm); });
  const Footprint stalls =
      touched([&] { world.faults().stall(simulation_.client("A").process()); });
  EXPECT_TRUE(arrives.conflicts_with(stalls));
}

// A judge asks the holder's client whether it is excused.
TEST_F(StepsByHandTest, AJudgesQuestionConflictsWithTheClientsSteps) {
  const auto a = open("A");
  const auto b = open("B");
  search::Verdict verdict;
  judge::SharedResource resource;
  resource.begin(simulation_.world(), verdict, 1);
  resource.enter(*a);
  const Footprint enters = touched([&] { resource.enter(*b); });
  Footprint hears;
  hears.add(ObjectKind::kProcess, simulation_.client("A").process().index(), true);
  EXPECT_TRUE(enters.conflicts_with(hears));
  Footprint unconcerned;
  unconcerned.add(ObjectKind::kProcess, simulation_.client("C").process().index(), true);
  EXPECT_FALSE(enters.conflicts_with(unconcerned));
}

// A holder by its own clock has to know when the servers have ended its grant.
TEST_F(StepsByHandTest, AGrantConflictsWithTheEndOfAnEarlierOneThatIsStillHeld) {
  const auto a = open("A");
  const auto b = open("B");
  must(simulation_.run(create(*a, "/lock")), "create");
  const auto take = [&](FakeSession& holder) {
    const Created own = must(
        simulation_.run(create(holder, "/lock/x-lock-", Data(), CreateMode::kEphemeralSequential)),
        "create");
    GrantRecord grant(holder.id(), "/lock", own.path, own.stat.czxid, own.stat.czxid);
    grant.loss = LossPolicy::kOwnClock;
    return grant;
  };
  search::Verdict verdict;
  judge::LockOracles oracles("-lock-");
  oracles.begin(simulation_.world(), verdict);
  const GrantRecord first = take(*a);
  const GrantRecord second = take(*b);
  oracles.granted(first);
  const Footprint granted = touched([&] { oracles.granted(second); });
  const Footprint ends = touched([&] {
    simulation_.world().servers().remove_as_operator(
        *simulation_.world().servers().paths().find(first.znode.text()), simulation_.now());
  });
  EXPECT_TRUE(granted.conflicts_with(ends));
}

}  // namespace
}  // namespace lockstep::fakezk
