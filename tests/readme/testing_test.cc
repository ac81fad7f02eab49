// The code of docs/testing.md.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "testing_includes.inc"

namespace lockstep::readme::guide_to_tests {

using namespace std::chrono_literals;

#include "testing_1.inc"
#include "testing_2.inc"
#include "testing_3.inc"
#include "testing_4.inc"
#include "testing_5.inc"

}  // namespace lockstep::readme::guide_to_tests
