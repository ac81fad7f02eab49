// The code under test runs only while the program's guard knows of an execution.
#include <gtest/gtest.h>

#include <memory>

#include "lockstep/search/exhaustive.h"
#include "plays.h"

namespace lockstep::search {
namespace {

using namespace unit;

struct Guarded {
  bool under_way = false;
  int begun = 0;
  int ended = 0;
  int outside = 0;  // How often code under test has run, or been destroyed, outside of executions.
};
Guarded guarded;

class Guard final : public ExecutionGuard {
 public:
  void begin(const fakezk::World&) override {
    EXPECT_FALSE(guarded.under_way);
    guarded.under_way = true;
    ++guarded.begun;
  }
  void end() noexcept override {
    EXPECT_TRUE(guarded.under_way);
    guarded.under_way = false;
    ++guarded.ended;
  }
};

struct Witness {
  Witness() { look(); }
  ~Witness() { look(); }
  static void look() {
    if (!guarded.under_way) ++guarded.outside;
  }
};

Task<void> sync_twice(Actor& self) {
  const Witness witness;
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/a"));
  Witness::look();
  static_cast<void>(co_await (*session)->sync("/a"));
}

TEST(ExecutionGuardTest, AnExecutionIsGuardedFromItsStartToItsCleanup) {
  guarded = Guarded();
  Play play({&sync_twice, &sync_twice}, true);
  play.set_guard(std::make_unique<Guard>());
  fakezk::World world(play.servers());
  fakezk::Calm calm;
  EXPECT_FALSE(execute(world, play, calm, ExecutionLimits()).violation);
  EXPECT_EQ(guarded.begun, 1);
  EXPECT_EQ(guarded.ended, 1);
  EXPECT_EQ(guarded.outside, 0);
}

// Sleep sets abort many executions, and the search makes some to check its own claims.
TEST(ExecutionGuardTest, AbortedExecutionsAreGuardedToo) {
  guarded = Guarded();
  Play play({&sync_twice, &sync_twice}, true);
  play.set_guard(std::make_unique<Guard>());
  const ExhaustiveResult result = explore(play, Reduction::kSleep);
  EXPECT_TRUE(result.exhausted);
  EXPECT_GT(result.executions, result.traces);
  EXPECT_GT(result.pairs_checked, 0U);
  EXPECT_GT(guarded.begun, static_cast<int>(result.executions));
  EXPECT_EQ(guarded.ended, guarded.begun);
  EXPECT_EQ(guarded.outside, 0);
}

}  // namespace
}  // namespace lockstep::search
