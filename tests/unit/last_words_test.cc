#include "scenarios/last_words.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "lockstep/fakezk/explore/schedule.h"
#include "lockstep/internal/check.h"
#include "lockstep/sleep.h"

namespace lockstep::scenarios {
namespace {

using namespace std::chrono_literals;

template <void (*kEnd)()>
Task<void> end_later(fake::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
  kEnd();
}

void fail_a_check() { internal::check(false, "a rule of the user's"); }
template <void (*kEnd)()>
std::unique_ptr<fakezk::Program> ends(fake::ScenarioSize size) {
  return std::make_unique<fake::LockScenario>(&end_later<kEnd>, size);
}

template <void (*kEnd)()>
void run() {
  constexpr Scenario scenario{"ends-badly", "zoo", "crash", "Aborts.", {2, 1}, &ends<kEnd>};
  const std::vector<fakezk::Deviation> deviations = {{1, {false, 1}}};
  const auto program = make_program(scenario, scenario.size, fakezk::FaultPlan::all(2));
  fakezk::World world(program->servers());
  fakezk::ExecutionLimits limits;
  limits.faults = fakezk::FaultPlan::all(2);
  fakezk::Replay replay(deviations);
  execute(world, *program, replay, limits);
}

constexpr const char* kReplayed =
    "aborted in step [0-9]+.*\n.*replay lockstep1/ends-badly/c2r1/b2:.*/1[.]1/unknown";

TEST(LastWordsDeathTest, AbortInUserCodeLeavesItsSchedule) {
  EXPECT_DEATH(run<&std::abort>(), kReplayed);
  EXPECT_DEATH(run<&std::terminate>(), kReplayed);
  EXPECT_DEATH(run<&fail_a_check>(), kReplayed);
}

TEST(LastWordsDeathTest, AbortOutsideOfAnExecutionIsNobodysSchedule) {
  EXPECT_EXIT(std::abort(), ::testing::KilledBySignal(SIGABRT), "^$");
}

}  // namespace
}  // namespace lockstep::scenarios
