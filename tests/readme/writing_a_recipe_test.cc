// The code of docs/writing-a-recipe.md.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "writing-a-recipe_includes.inc"

namespace lockstep::readme::guide_to_recipes {

#include "writing-a-recipe_1.inc"
#include "writing-a-recipe_2.inc"
#include "writing-a-recipe_3.inc"

}  // namespace lockstep::readme::guide_to_recipes
