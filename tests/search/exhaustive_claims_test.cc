// An exhaustive search claims only what it has shown.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/search/exhaustive.h"
#include "plays.h"
#include "scenarios/broken_lock.h"

namespace lockstep::search {
namespace {

using namespace unit;

Task<void> tell(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/a"));
  ++self.shared;
}

// Asks until the other actor gets a turn.
Task<void> ask_until_told(Actor& self) {
  const auto session = co_await self.client().session(Context());
  while (self.shared == 0) static_cast<void>(co_await (*session)->sync("/b"));
}

// Asks forever if the other actor comes second, whatever turns that one gets.
Task<void> ask_for_ever_unless_told(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  if (self.shared > 0) co_return;
  for (;;) static_cast<void>(co_await (*session)->sync("/b"));
}

TEST(ExhaustiveClaimsTest, ASearchThatNeedsFairnessIsNotExhausted) {
  Play play({&tell, &ask_until_told}, false);
  for (const ReductionName& reduction : reductions()) {
    ExhaustiveOptions options;
    options.reduction = reduction.reduction;
    options.executions = 500;
    const ExhaustiveResult result = search_exhaustively(play, options);
    EXPECT_FALSE(result.found) << result.found->outcome.violation->message;
    EXPECT_FALSE(result.exhausted);
    EXPECT_EQ(result.budgets_finished, 0U);
    EXPECT_GT(result.cut, 0U);
    EXPECT_GT(result.deepest, 0U);
    EXPECT_LE(result.traces + result.cut, result.executions);
  }
}

TEST(ExhaustiveClaimsTest, ALoopThatFairnessDoesNotEndIsALivelock) {
  Play play({&tell, &ask_for_ever_unless_told}, false);
  const ExhaustiveResult result = explore(play, Reduction::kSource);
  ASSERT_TRUE(result.found);
  ASSERT_TRUE(result.found->outcome.violation);
  EXPECT_EQ(result.found->outcome.violation->oracle, "livelock");
  fakezk::World world(play.servers());
  Replay replay(result.found->deviations);
  const Outcome again = execute(world, play, replay, ExecutionLimits());
  ASSERT_TRUE(again.violation);
  EXPECT_EQ(again.violation->message, result.found->outcome.violation->message);
}

// A client that connects to a lagging server goes on to the next one.
TEST(ExhaustiveClaimsTest, AnEnsembleIsExhausted) {
  lab::LockScenario scenario(scenarios::on_three_servers<FairMutex>(), lab::ScenarioSize{1, 1});
  const ExhaustiveResult result = explore(scenario, Reduction::kSource, "kill-session", 1);
  EXPECT_FALSE(result.found);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.cut, 0U);
}

class FailsAtItsEnd final : public Play {
 public:
  using Play::Play;
  void finish(fakezk::World&) override { throw std::runtime_error("the end check has failed"); }
};

TEST(ExhaustiveClaimsTest, AnExceptionOfAnEndCheckIsACrash) {
  FailsAtItsEnd play({&write_once<'a'>});
  const ExhaustiveResult result = explore(play, Reduction::kSource);
  ASSERT_TRUE(result.found);
  EXPECT_EQ(result.executions, 1U);
  const Violation& violation = *result.found->outcome.violation;
  EXPECT_EQ(violation.oracle, "crash");
  EXPECT_EQ(violation.message, "an exception escaped: the end check has failed");
}

// The search cannot see memory that executions share.
int runs = 0;

Task<void> ask(Actor& self, int times) {
  const auto session = co_await self.client().session(Context());
  for (int i = 0; i < times; ++i) static_cast<void>(co_await (*session)->sync("/a"));
}
Task<void> ask_as_often_as_it_likes(Actor& self) { return ask(self, 2 + ++runs % 3); }
// After the first executions, which run twice.
Task<void> ask_as_it_likes_after_a_while(Actor& self) {
  return ask(self, ++runs < 20 ? 3 : 2 + runs % 3);
}
Task<void> ask_three_times(Actor& self) { return ask(self, 3); }

// A reply does not reach a stalled process. Its footprint says so, unless that is left out.
TEST(ExhaustiveClaimsTest, AStepThatAnotherOneMakesImpossibleDependsOnIt) {
  Play play({&ask_three_times});
  const ExhaustiveResult result =
      explore(play, Reduction::kSleep, "stall", 1, {fakezk::ObjectKind::kProcess});
  EXPECT_FALSE(result.exhausted);
  EXPECT_EQ(result.independence_violated, "deliver over link 0 is not possible after stall 0");
}

ExhaustiveResult search_of_restless(Act act) {
  runs = 0;
  Play play({act, &ask_three_times}, false);
  ExhaustiveResult result = explore(play, Reduction::kSource);
  EXPECT_TRUE(result.found);
  return result;
}

TEST(ExhaustiveClaimsTest, AProgramThatIsNotDeterministicIsMisuse) {
  for (const Act act : {&ask_as_often_as_it_likes, &ask_as_it_likes_after_a_while}) {
    const ExhaustiveResult result = search_of_restless(act);
    ASSERT_TRUE(result.found);
    EXPECT_FALSE(result.exhausted);
    EXPECT_TRUE(result.found->nondeterministic);
    EXPECT_LT(result.executions, 100U);
    const Violation& violation = *result.found->outcome.violation;
    EXPECT_EQ(violation.oracle, "misuse");
    EXPECT_EQ(violation.message.find("the program is not deterministic: two runs of one schedule"),
              0U)
        << violation.message;
  }
}

}  // namespace
}  // namespace lockstep::search
