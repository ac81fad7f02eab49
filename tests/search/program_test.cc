#include "lockstep/search/program.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lockstep/search/schedule.h"
#include "lockstep/sleep.h"
#include "scenarios/registry.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// ----------------------------------------------------------------------------------- Verdict

TEST(VerdictTest, EarliestStepStays) {
  search::Verdict verdict;
  EXPECT_FALSE(verdict.violation().has_value());
  verdict.report("R2", "first", 5);
  verdict.report("S1", "later", 6);
  ASSERT_TRUE(verdict.violation().has_value());
  EXPECT_EQ(verdict.violation()->oracle, "R2");
  EXPECT_EQ(verdict.violation()->message, "first");
  EXPECT_EQ(verdict.violation()->step, 5U);
  verdict.clear();
  EXPECT_FALSE(verdict.violation().has_value());
}

TEST(VerdictTest, TheFirstOracleOfTheTableWinsWithinOneStep) {
  const auto oracles = search::oracles();
  for (std::size_t i = 0; i + 1 < oracles.size(); ++i) {
    for (const bool ascending : {true, false}) {
      search::Verdict verdict;
      verdict.report(oracles[ascending ? i : i + 1].oracle, "one", 3);
      verdict.report(oracles[ascending ? i + 1 : i].oracle, "other", 3);
      EXPECT_EQ(verdict.violation()->oracle, oracles[i].name);
    }
  }
}

TEST(VerdictTest, OraclesOfUsersComeLastAndTheFirstOfThemStays) {
  search::Verdict verdict;
  verdict.report("user:b", "first", 1);
  verdict.report("user:a", "second", 1);
  EXPECT_EQ(verdict.violation()->oracle, "user:b");
  verdict.report("misuse", "third", 1);
  EXPECT_EQ(verdict.violation()->oracle, "misuse");
}

TEST(VerdictTest, CleanupBreaksOnlyGuaranteesOfUsers) {
  search::Verdict verdict;
  verdict.end_execution();
  verdict.report("R2", "no client is there to be told", 5);
  EXPECT_FALSE(verdict.violation().has_value());
  verdict.report("user:expectation", "in a destructor", 5);
  verdict.report("S1", "too late", 5);
  ASSERT_TRUE(verdict.violation().has_value());
  EXPECT_EQ(verdict.violation()->oracle, "user:expectation");
  verdict.clear();
  verdict.report("R2", "the next execution", 5);
  EXPECT_TRUE(verdict.violation().has_value());
}

// ----------------------------------------------------------------------------------- execute

// One process that runs the given task.
class OneTask final : public search::Program {
 public:
  using Run = Task<void> (*)(Process& process);
  explicit OneTask(Run run) : run_(run) {}

  void start(World& world, search::Verdict&) override {
    ++starts;
    world.add_process().tasks().spawn(run_(world.process(0)));
    world.begin_trace();
  }
  void finish(World&) override { ++finishes; }
  void clear() override { ++clears; }
  [[nodiscard]] std::string process_name(std::uint32_t) const override { return "A"; }

  int starts = 0;
  int finishes = 0;
  int clears = 0;

 private:
  Run run_;
};

template <int kTimes>
Task<void> sleep_often(Process& process) {
  for (int i = 0; i < kTimes; ++i) static_cast<void>(co_await sleep_for(process, 1s));
}
Task<void> sleep_for_ever(Process& process) {
  for (;;) static_cast<void>(co_await sleep_for(process, 1s));
}
Task<void> throw_at_once(Process&) {
  throw std::runtime_error("at once");
  co_return;
}
Task<void> throw_later(Process& process) {
  static_cast<void>(co_await sleep_for(process, 1s));
  static_cast<void>(co_await sleep_for(process, 1s));
  throw std::runtime_error("later");
}
Task<void> throw_a_number(Process& process) {
  static_cast<void>(co_await sleep_for(process, 1s));
  throw 5;
}

search::Outcome run(OneTask& program, std::uint32_t steps = 100) {
  World world(program.servers());
  Calm calm;
  search::ExecutionLimits limits;
  limits.steps = steps;
  return execute(world, program, calm, limits);
}

TEST(ExecuteTest, RunsUntilNothingCanHappen) {
  OneTask program(&sleep_often<5>);
  const search::Outcome outcome = run(program);
  EXPECT_FALSE(outcome.violation.has_value());
  EXPECT_EQ(outcome.steps, 5U);
  EXPECT_EQ(outcome.positions, 5U);
  EXPECT_EQ(program.starts, 1);
  EXPECT_EQ(program.finishes, 1);
  EXPECT_EQ(program.clears, 1);
}

TEST(ExecuteTest, MoreStepsThanTheLimitAreALivelock) {
  OneTask exact(&sleep_often<5>);
  EXPECT_FALSE(run(exact, 5).violation.has_value());
  OneTask one_more(&sleep_often<6>);
  ASSERT_TRUE(run(one_more, 5).violation.has_value());
  OneTask endless(&sleep_for_ever);
  const search::Outcome outcome = run(endless, 50);
  ASSERT_TRUE(outcome.violation.has_value());
  EXPECT_EQ(outcome.violation->oracle, "livelock");
  EXPECT_EQ(endless.finishes, 0);
  EXPECT_EQ(endless.clears, 1);
}

TEST(ExecuteTest, ExceptionThatEscapesIsACrash) {
  OneTask program(&throw_later);
  const search::Outcome outcome = run(program);
  ASSERT_TRUE(outcome.violation.has_value());
  EXPECT_EQ(outcome.violation->oracle, "crash");
  EXPECT_NE(outcome.violation->message.find("later"), std::string::npos);
  EXPECT_EQ(outcome.violation->step, 2U);
  OneTask strange(&throw_a_number);
  ASSERT_TRUE(run(strange).violation.has_value());
  EXPECT_EQ(run(strange).violation->oracle, "crash");
}

TEST(ExecuteTest, ExceptionBeforeTheFirstStepIsACrash) {
  OneTask program(&throw_at_once);
  const search::Outcome outcome = run(program);
  ASSERT_TRUE(outcome.violation.has_value());
  EXPECT_EQ(outcome.violation->oracle, "crash");
  EXPECT_EQ(outcome.violation->step, 0U);
}

// No task catches the exceptions of its start, its end or a listener.
class Throws final : public search::Program {
 public:
  explicit Throws(bool at_start) : at_start_(at_start) {}
  void start(World& world, search::Verdict&) override {
    world.add_process().tasks().spawn(sleep_often<2>(world.process(0)));
    if (at_start_) throw std::runtime_error("at the start");
    world.begin_trace();
  }
  void finish(World&) override { throw std::runtime_error("at the end"); }
  void clear() override {}
  [[nodiscard]] std::string process_name(std::uint32_t) const override { return "A"; }

 private:
  bool at_start_;
};

TEST(ExecuteTest, ExceptionOutsideOfTasksIsACrashToo) {
  World world;
  Calm calm;
  for (const bool at_start : {true, false, true}) {
    Throws program(at_start);
    const search::Outcome outcome = execute(world, program, calm, search::ExecutionLimits());
    ASSERT_TRUE(outcome.violation.has_value());
    EXPECT_EQ(outcome.violation->oracle, "crash");
    EXPECT_TRUE(outcome.violation->message.ends_with(at_start ? "at the start" : "at the end"));
  }
}

Task<void> ask_for_ever(lab::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  for (;;) static_cast<void>(co_await (*session)->sync("/"));
}

// Always chooses the client that it has begun with.
class Unfair final : public Chooser {
 public:
  Choice next(const Menu& menu) override {
    last = menu.events().size();
    return Choice{};
  }
  std::uint32_t number(std::uint32_t) override { return 0; }
  std::size_t last = 0;
};

class Served final : public Tracer {
 public:
  void step(const Step& step) override {
    if (step.event.kind == Event::Kind::kApply) ++requests[step.event.index];
  }
  void note(std::uint32_t, std::string_view) override {}
  std::map<std::uint32_t, int> requests;
};

TEST(ExecuteTest, SecondHalfOfAnEndlessProgramIsFair) {
  lab::LockScenario program(scenarios::contention(&ask_for_ever), lab::ScenarioSize{3, 1});
  World world(program.servers());
  Unfair unfair;
  Served served;
  search::ExecutionLimits limits;
  limits.steps = 600;
  const search::Outcome outcome = execute(world, program, unfair, limits, &served);
  ASSERT_TRUE(outcome.violation.has_value());
  EXPECT_EQ(outcome.violation->oracle, "livelock");
  EXPECT_EQ(served.requests.size(), 3U);
  for (const auto& [link, requests] : served.requests) EXPECT_GE(requests, 45) << link;
  EXPECT_TRUE(world.deviations().empty());  // Fairness is no deviation: a replay is fair as well.
}

TEST(ExecuteTest, VerdictIsPartOfTheTraceHash) {
  OneTask good(&sleep_often<2>);
  OneTask bad(&throw_later);
  EXPECT_NE(run(good).trace_hash, run(bad).trace_hash);
}

class StepCounter final : public Tracer {
 public:
  void step(const Step& step) override {
    first = first == 0 ? step.number : first;
    last = step.number;
  }
  void note(std::uint32_t, std::string_view) override {}
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

Task<void> read_once(lab::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
}

TEST(ExecuteTest, TracerSeesTheSearchedPartOnly) {
  lab::LockScenario program(scenarios::contention(&read_once), lab::ScenarioSize{2, 1});
  World world(program.servers());
  Calm calm;
  StepCounter counter;
  const search::Outcome outcome =
      execute(world, program, calm, search::ExecutionLimits(), &counter);
  EXPECT_EQ(counter.first, 1U);
  EXPECT_EQ(counter.last, outcome.steps);
  EXPECT_EQ(outcome.steps, 4U);  // Each has its request applied and its reply delivered.
}

TEST(ExecuteDeathTest, WorldHasTheProgramsServers) {
  lab::LockScenario program(scenarios::contention(&read_once), lab::ScenarioSize{2, 1});
  World other;  // Its servers check for empty containers.
  Calm calm;
  EXPECT_DEATH(execute(other, program, calm, search::ExecutionLimits()), "other servers");
}

// ---------------------------------------------------------------------------------- StepChecks

Task<void> sync_and_sleep(lab::Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(co_await (*session)->sync("/"));
    static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  }
}

// An expiry may fire other timers on its way, but is one step.
TEST(StepChecksTest, KeepsOneByteForEachStep) {
  lab::LockScenario program(scenarios::contention(&sync_and_sleep), lab::ScenarioSize{2, 1});
  World world(program.servers());
  search::ExecutionLimits limits{.faults = FaultPlan::all(1)};
  for (std::uint32_t position = 0; position < 16; ++position) {
    for (std::uint32_t fault = 0; fault < 7; ++fault) {
      const std::vector<Deviation> one = {Deviation{position, Choice{true, fault}}};
      search::Replay replay(one);
      search::StepChecks checks(world);
      const search::Outcome outcome = execute(world, program, replay, limits, &checks);
      EXPECT_EQ(checks.checks().size(), outcome.steps) << position << ' ' << fault;
    }
  }
}

}  // namespace
}  // namespace lockstep::fakezk
