#include "lockstep/judge/shared_resource.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "lockstep/search/chronicler.h"
#include "support/by_hand.h"
#include "support/numbered.h"

namespace lockstep::search {
namespace {

using namespace unit;

class SharedResourceTest : public SimulatedTest {
 protected:
  SharedResourceTest() { resource_.begin(simulation_.world(), verdict_, 1); }
  std::string broken() const { return verdict_.violation() ? verdict_.violation()->oracle : ""; }
  std::string message() const { return verdict_.violation() ? verdict_.violation()->message : ""; }
  void enter_and_rely() {
    resource_.enter(*a_);
    resource_.rely(*a_, simulation_.now() + 1h);
  }

  Verdict verdict_;
  judge::SharedResource resource_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

TEST_F(SharedResourceTest, HoldersOneAfterAnotherAreSound) {
  resource_.enter(*a_);
  resource_.leave(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, TwoHoldersAtOnceBreakS2) {
  resource_.enter(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "S2");
  EXPECT_EQ(message(), "process 1 enters while process 0, which is connected, is still inside");
}

TEST_F(SharedResourceTest, ProcessesHaveTheNamesOfTheLanes) {
  class Letters final : public fakezk::ProcessNames {
   public:
    [[nodiscard]] std::string process_name(std::uint32_t process) const override {
      return std::string(1, static_cast<char>('A' + process));
    }
  };
  const Letters letters;
  simulation_.world().set_names(&letters);
  resource_.enter(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(message(), "B enters while A, which is connected, is still inside");
}

TEST_F(SharedResourceTest, ClientUnawareOfItsLossMayStay) {
  resource_.enter(*a_);
  simulation_.expire(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, ClientUnawareOfItsLossMayEnter) {
  simulation_.expire(*a_);
  resource_.enter(*b_);
  resource_.enter(*a_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, AClientThatKnowsOfItsLossMayNotStay) {
  resource_.enter(*a_);
  simulation_.expire(*a_);
  simulation_.settle();
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, AClientThatKnowsOfItsLossMayNotEnter) {
  simulation_.expire(*a_);
  simulation_.settle();
  resource_.enter(*b_);
  resource_.enter(*a_);
  EXPECT_EQ(broken(), "S2");
}

// -------------------------------------------------------------------------------------- reliance

TEST_F(SharedResourceTest, RelianceOnALiveSessionIsRight) {
  enter_and_rely();
  resource_.leave(*a_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, SessionThatIsReliedOnMayNotEnd) {
  enter_and_rely();
  simulation_.expire(*a_);
  EXPECT_EQ(broken(), "");
  resource_.leave(*a_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, ASessionThatHasEndedIsNotReliedOn) {
  resource_.enter(*a_);
  simulation_.expire(*a_);
  resource_.rely(*a_, simulation_.now() + 1ns);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, RelianceFailsEvenIfTheClientKnowsOfTheEnd) {
  enter_and_rely();
  simulation_.expire(*a_);
  simulation_.settle();
  EXPECT_EQ(a_->state(), SessionState::kExpired);
  resource_.leave(*a_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, RelianceEndsAtItsTime) {
  resource_.enter(*a_);
  resource_.rely(*a_, simulation_.now() + 2s);
  simulation_.advance(2s);
  simulation_.expire(*a_);
  resource_.rely(*a_, simulation_.now());
  resource_.enter(*b_);
  resource_.leave(*a_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, EarlierRelianceIsJudgedBeforeItIsReplaced) {
  enter_and_rely();
  simulation_.expire(*a_);
  resource_.rely(*a_, simulation_.now());
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, NoClientEntersWhileTheLoserMayRelyOnItsSession) {
  enter_and_rely();
  simulation_.expire(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, SessionThatItsClientHasClosedHasNotEndedUnnoticed) {
  enter_and_rely();
  must(simulation_.run(close(*a_)), "close");
  resource_.leave(*a_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, AClientOutsideReliesOnNothing) {
  simulation_.expire(*a_);
  resource_.rely(*a_, simulation_.now() + 1h);
  EXPECT_EQ(broken(), "");
}

// The lanes show every use.
TEST_F(SharedResourceTest, TheChronicleShowsEachUse) {
  fakezk::World& world = simulation_.world();
  Chronicler chronicler(world);
  world.begin_trace();
  world.set_tracer(&chronicler);
  resource_.enter(*a_);
  resource_.sell();
  resource_.write(5);
  EXPECT_FALSE(resource_.write_fenced(*b_, 4));
  EXPECT_TRUE(resource_.write_fenced(*b_, 6));
  resource_.leave(*a_);
  world.set_tracer(nullptr);
  std::string told;
  for (const Moment& moment : chronicler.chronicle(Numbered()).moments) {
    EXPECT_EQ(moment.kind, Moment::Kind::kRemark);
    told += moment.process == Chronicle::kNoProcess ? "-" : std::to_string(moment.process);
    told += ' ' + moment.text + '\n';
  }
  EXPECT_EQ(told,
            "0 enters\n"
            "- one is sold, left: 0\n"
            "- written with token 5\n"
            "1 is refused to write with token 4\n"
            "1 writes with token 6\n"
            "0 leaves\n");
}

TEST_F(SharedResourceTest, ATokenThatTwoSessionsWriteWithIsMisuse) {
  EXPECT_TRUE(resource_.write_fenced(*a_, 7));
  EXPECT_TRUE(resource_.write_fenced(*a_, 7));
  EXPECT_EQ(broken(), "");
  EXPECT_TRUE(resource_.write_fenced(*b_, 8));
  EXPECT_EQ(broken(), "");
  resource_.write(9);
  EXPECT_TRUE(resource_.write_fenced(*a_, 9)) << "the earlier writer may have been the same";
  EXPECT_EQ(broken(), "");
  static_cast<void>(resource_.write_fenced(*b_, 9));
  EXPECT_EQ(broken(), "misuse");
  EXPECT_NE(message().find("fencing token 9"), std::string::npos) << message();
}

}  // namespace
}  // namespace lockstep::search
