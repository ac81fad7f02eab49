#include "lockstep/fake/simulation.h"

#include <gtest/gtest.h>

#include "lockstep/fair_mutex.h"

namespace lockstep::readme {
namespace {

TEST(ReadmeTest, UnitTestWithoutAServer) {
#include "readme_4.inc"
  simulation.settle();
  EXPECT_EQ(ann_holds->state(), LockState::kLost);
  EXPECT_EQ(bob_waits.result()->state(), LockState::kHeld);
}

}  // namespace
}  // namespace lockstep::readme
