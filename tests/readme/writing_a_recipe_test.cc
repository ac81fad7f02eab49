// The code of docs/writing-a-recipe.md.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "writing-a-recipe_includes.inc"

namespace lockstep::readme::guide_to_recipes {

#include "writing-a-recipe_1.inc"
#include "writing-a-recipe_2.inc"
#include "writing-a-recipe_3.inc"
#include "writing-a-recipe_4.inc"

TEST(WritingARecipeTest, WaitsUntilAZnodeIsGone) {
  fake::Simulation simulation;
  const auto ann = simulation.open("Ann");
  const auto bob = simulation.open("Bob");
  FairMutex mutex(*ann, "/lock");
  const Result<HeldLock> held = simulation.run(mutex.acquire());
  const auto gone = simulation.start(wait_until_gone(*bob, held->znode(), Context()));
  simulation.cut(*bob);  // Its first request is lost.
  simulation.settle();
  EXPECT_FALSE(gone.done());
  simulation.expire(*ann);
  simulation.run_until(gone);
  EXPECT_TRUE(gone.result());
}

}  // namespace lockstep::readme::guide_to_recipes
