#include "lockstep/fakezk/explore/lanes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "by_hand.h"
#include "lockstep/fakezk/explore/schedule.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Lends its names to what a simulation did.
class Names final : public Program {
 public:
  void start(World&, Verdict&) override {}
  void finish(World&) override {}
  void clear() override {}
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return process == 0 ? "Alice" : "Bob";
  }
};

class LanesTest : public ::testing::Test {
 protected:
  LanesTest() {
    simulation_.world().begin_trace();
    simulation_.world().set_tracer(&lanes_);
  }
  ~LanesTest() override { simulation_.world().set_tracer(nullptr); }
  std::string drawn() { return '\n' + lanes_.render(Names()); }

  Simulation simulation_;
  const std::shared_ptr<FakeSession> alice_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> bob_ = simulation_.open("B");
  Lanes lanes_{simulation_.world()};
};

TEST_F(LanesTest, EachProcessHasALaneAndTimeRunsDown) {
  const Watch watch = must(simulation_.run(watch_exists(*bob_, "/a")), "watch");
  must(simulation_.run(create(*alice_, "/a")), "create");
  simulation_.world().note(1,
                           "holds /lock/_c_01234567-89ab-4def-8123-456789abcdef-lock-0000000003");
  simulation_.advance(1500ms);
  EXPECT_EQ(error_of(simulation_.run(get_data(*alice_, "/b"))), Error::kNoNode);
  EXPECT_EQ(drawn(), R"(
step     time  Alice                              Bob
   1     0 ms                                     -> exists /a: no node, received
   3     0 ms  -> create /a: ok, received
   3     0 ms                                     == holds /lock/lock-0000000003
   5     0 ms                                     <- ! /a created
   6  1500 ms  -> get_data /b: no node, received
)");
}

TEST_F(LanesTest, ACutIsDrawnWhereItStrikesAndTheRestGoesOnBelow) {
  World& world = simulation_.world();
  FaultPlan cuts;
  cuts.allow(FaultKind::kCut);
  cuts.set_total(1);
  world.set_faults(cuts);
  const Started<Result<void>> synced = simulation_.start(sync(*alice_, "/"));
  const std::vector<Deviation> first_fault = {{0, Choice{true, 0}}};
  Replay cut_alice(first_fault);
  world.step(cut_alice);
  simulation_.settle();
  EXPECT_EQ(error_of(synced.result()), Error::kConnectionLoss);
  EXPECT_EQ(drawn(), R"(
step     time  Alice                                                        Bob
   1     0 ms  ** the connection is cut: 1 requests and 0 replies are lost
   2     0 ms  <- connection loss
   3     0 ms  -> connects
   4     0 ms  <- connected
)");
}

TEST(WithoutGuidsTest, LeavesOutWhatAProtectedCreatePutsIntoNames) {
  const std::string guid = "_c_01234567-89ab-4def-8123-456789abcdef";
  EXPECT_EQ(without_guids("/lock/" + guid + "-lock-0000000003"), "/lock/lock-0000000003");
  EXPECT_EQ(without_guids(guid + "-a " + guid + "-b"), "a b");
  for (const std::string& same : std::vector<std::string>{"", "/lock/x-lock-1", "_c_", "/" + guid,
                                                          "_c_short-lock-", guid.substr(0, 30)}) {
    EXPECT_EQ(without_guids(same), same);
  }
}

}  // namespace
}  // namespace lockstep::fakezk
