#include "lockstep/fakezk/oracles/shared_resource.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class SharedResourceTest : public ::testing::Test {
 protected:
  SharedResourceTest() { resource_.begin(simulation_.world(), verdict_, 1); }
  std::string broken() const { return verdict_.violation() ? verdict_.violation()->oracle : ""; }

  Simulation simulation_;
  Verdict verdict_;
  SharedResource resource_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

TEST_F(SharedResourceTest, OneAfterTheOtherIsRight) {
  resource_.enter(*a_);
  resource_.leave(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, TwoAtOnceAreNot) {
  resource_.enter(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, WhoCannotKnowOfItsLossMayStay) {
  resource_.enter(*a_);
  simulation_.expire(*a_);
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, WhoCannotKnowOfItsLossMayEnter) {
  simulation_.expire(*a_);
  resource_.enter(*b_);
  resource_.enter(*a_);
  EXPECT_EQ(broken(), "");
}

TEST_F(SharedResourceTest, WhoHasBeenToldMayNotStay) {
  resource_.enter(*a_);
  simulation_.expire(*a_);
  simulation_.settle();
  resource_.enter(*b_);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(SharedResourceTest, WhoHasBeenToldMayNotEnter) {
  simulation_.expire(*a_);
  simulation_.settle();
  resource_.enter(*b_);
  resource_.enter(*a_);
  EXPECT_EQ(broken(), "S2");
}

}  // namespace
}  // namespace lockstep::fakezk
