#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/sleep.h"

// The search notices programs that depend on something outside the simulation.
namespace lockstep::fakezk {
namespace {

using namespace std::chrono_literals;

Task<void> ask_often(lab::Contender& self, std::uint32_t times) {
  const auto session = co_await self.client().session(Context());
  for (std::uint32_t i = 0; session && i < times; ++i) {
    static_cast<void>(co_await (*session)->sync("/"));
  }
}

Task<void> ask_twice(lab::Contender& self, Path, std::uint32_t) { return ask_often(self, 2); }

Task<void> ask_the_real_clock(lab::Contender& self, Path, std::uint32_t) {
  // allow(steady_clock): that this is noticed is the point.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return ask_often(self, static_cast<std::uint32_t>(mix(static_cast<std::uint64_t>(now)) % 8));
}

// Every block in use has a unique address.
Task<void> ask_an_address(lab::Contender& self, Path, std::uint32_t) {
  static std::vector<std::unique_ptr<int>> kept;
  kept.push_back(std::make_unique<int>(0));
  const auto address = reinterpret_cast<std::uintptr_t>(kept.back().get());
  return ask_often(self, static_cast<std::uint32_t>(mix(address) % 8));
}

lab::HuntReport hunted(lab::LockScenario::Contend contend) {
  lab::HuntSettings settings{.executions = 2'000};
  return lab::hunt_lock("restless", contend, settings);
}

TEST(RepeatTest, DeterministicProgramIsNotAccused) { EXPECT_TRUE(hunted(&ask_twice).passed()); }

TEST(RepeatTest, RealClockAndAddressesAreMisuseWithTheStepWhereRunsDiffer) {
  for (const auto contend : {&ask_the_real_clock, &ask_an_address}) {
    const lab::HuntReport report = hunted(contend);
    ASSERT_FALSE(report.passed());
    EXPECT_EQ(report.failure->violation.oracle, "misuse");
    EXPECT_GT(report.failure->violation.step, 0U);
    const std::string text = report.text();
    EXPECT_NE(
        text.find("the program is not deterministic: two runs of one schedule diverge at step"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("event "), std::string::npos) << text;    // Or one run had no event.
    EXPECT_EQ(text.find("process "), std::string::npos) << text;  // They are called A, B, C.
  }
}

}  // namespace
}  // namespace lockstep::fakezk
