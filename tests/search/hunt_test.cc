#include "lockstep/search/hunt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hunting.h"
#include "lockstep/lab/job_threads.h"
#include "lockstep/search/schedule.h"

namespace lockstep::search {
namespace {

using unit::hunt_options;
using unit::kZoo01;
using unit::kZoo07;
using StoppedBy = HuntResult::StoppedBy;

// Runs the last worker first: the result must not depend on the workers' speed.
class Backwards final : public Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override {
    while (count > 0) work(--count);
  }
};

// All results in one text, for comparison.
std::string summary(const HuntResult& result) {
  std::string text = std::to_string(static_cast<int>(result.stopped_by)) + ' ' +
                     std::to_string(result.executions) + ' ' + std::to_string(result.steps) + ' ' +
                     std::to_string(result.trace_hash);
  if (!result.found) return text;
  const Found& found = *result.found;
  text += ' ' + std::to_string(found.execution) + ' ' + found.outcome.violation->oracle + ' ' +
          std::to_string(found.outcome.trace_hash);
  ReplayString replay;
  replay.deviations = found.deviations;
  return text + ' ' + replay.text();
}

TEST(HuntTest, ExecutionZeroFollowsTheDefaultSchedule) {
  const HuntOptions options = hunt_options("fair-mutex", 1);
  Searcher searcher(options.make_program(), options.make_strategy(), options.limits, options.seed);
  const Outcome outcome = searcher.run(0);
  EXPECT_TRUE(searcher.deviations().empty());
  const auto program = options.make_program();
  fakezk::World world(program->servers());
  fakezk::Calm calm;
  EXPECT_EQ(outcome.trace_hash, execute(world, *program, calm, options.limits).trace_hash);
  EXPECT_EQ(unit::hunt(options).steps, outcome.steps);
}

TEST(HuntTest, ExecutionDependsOnlyOnItsIndex) {
  const HuntOptions options = hunt_options("fair-mutex", 0);
  Searcher all(options.make_program(), options.make_strategy(), options.limits, options.seed);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 40; ++i) hashes.push_back(all.run(i).trace_hash);
  Searcher some(options.make_program(), options.make_strategy(), options.limits, options.seed);
  for (const std::uint64_t i : {31u, 7u, 0u, 39u}) {
    EXPECT_EQ(some.run(i).trace_hash, hashes[i]) << i;
  }
  Searcher other(options.make_program(), options.make_strategy(), options.limits, 8);
  std::size_t same = 0;
  for (std::uint64_t i = 1; i < 40; ++i) same += other.run(i).trace_hash == hashes[i] ? 1 : 0;
  EXPECT_LT(same, 5U);
}

TEST(HuntTest, ResultIsTheSameForAnyNumberOfJobsAndAnyOrderOfWorkers) {
  for (const std::string_view scenario : {std::string_view("fair-mutex"), kZoo01, kZoo07}) {
    std::set<std::string> results;
    for (const std::uint32_t jobs : {1u, 2u, 5u}) {
      HuntOptions options = hunt_options(scenario, 2'500);
      options.jobs = jobs;
      OneByOne one_by_one;
      Backwards backwards;
      results.insert(summary(hunt(options, one_by_one)));
      results.insert(summary(hunt(options, backwards)));
    }
    EXPECT_EQ(results.size(), 1U) << *results.begin() << '\n' << *results.rbegin();
  }
}

TEST(HuntTest, EqualSeedsGiveEqualHuntsAndOtherSeedsOthers) {
  HuntOptions options = hunt_options("fair-mutex", 200);
  const std::string first = summary(unit::hunt(options));
  EXPECT_EQ(summary(unit::hunt(options)), first);
  options.seed = 8;
  EXPECT_NE(summary(unit::hunt(options)), first);
}

TEST(HuntTest, PartsAddUpToTheWhole) {
  const HuntResult whole = unit::hunt(hunt_options("fair-mutex", 3'000));
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  for (const auto& [first, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1'000}, {1'000, 1}, {1'001, 1'499}, {2'500, 500}}) {
    HuntOptions part = hunt_options("fair-mutex", count);
    part.first = first;
    const HuntResult result = unit::hunt(part);
    EXPECT_EQ(result.executions, count);
    hash += result.trace_hash;
    steps += result.steps;
  }
  EXPECT_EQ(hash, whole.trace_hash);
  EXPECT_EQ(steps, whole.steps);
  EXPECT_EQ(whole.stopped_by, StoppedBy::kCount);
  EXPECT_FALSE(whole.found.has_value());
}

TEST(HuntTest, ViolationIsTheFirstByIndex) {
  for (const std::string_view scenario : {kZoo01, kZoo07}) {
    HuntOptions options = hunt_options(scenario, 100'000);
    options.jobs = 3;
    const HuntResult result = unit::hunt(options);
    ASSERT_TRUE(result.found.has_value());
    EXPECT_EQ(result.stopped_by, StoppedBy::kViolation);
    EXPECT_EQ(result.executions, result.found->execution + 1);
    Searcher searcher(options.make_program(), options.make_strategy(), options.limits,
                      options.seed);
    for (std::uint64_t i = 0; i < result.found->execution; ++i) {
      ASSERT_FALSE(searcher.run(i).violation.has_value()) << i;
    }
    EXPECT_TRUE(searcher.run(result.found->execution).violation.has_value());
    EXPECT_EQ(searcher.deviations(), result.found->deviations);
  }
}

TEST(HuntTest, AViolationCanBeReplayed) {
  const HuntOptions options = hunt_options(kZoo07, 100'000);
  const HuntResult result = unit::hunt(options);
  ASSERT_TRUE(result.found.has_value());
  const auto program = options.make_program();
  fakezk::World world(program->servers());
  Replay replay(result.found->deviations);
  const Outcome outcome = execute(world, *program, replay, options.limits);
  EXPECT_EQ(outcome.trace_hash, result.found->outcome.trace_hash);
  ASSERT_TRUE(outcome.violation.has_value());
  EXPECT_EQ(outcome.violation->oracle, "L1");
  EXPECT_EQ(outcome.violation->message, result.found->outcome.violation->message);
}

TEST(HuntTest, TheCallerCanEndItAfterEvery1024Executions) {
  for (const std::uint32_t jobs : {1U, 2U}) {
    HuntOptions options = hunt_options("fair-mutex", 1'000'000);
    options.jobs = jobs;
    std::vector<std::uint64_t> asked;
    options.keep_going = [&](std::uint64_t executions) {
      asked.push_back(executions);
      return asked.size() < 3;
    };
    lab::JobThreads threads(jobs);
    const HuntResult result = hunt(options, threads);
    EXPECT_EQ(result.stopped_by, StoppedBy::kTime);
    EXPECT_EQ(asked, (std::vector<std::uint64_t>{1024, 2048, 3072}));
    EXPECT_EQ(result.executions, 3072U);
  }
}

// So many executions may take long.
TEST(HuntTest, ChecksTheTimeBetweenExecutions) {
  HuntOptions options = hunt_options("fair-mutex", 1'000'000);
  int looks = 0;
  options.time_is_up = [&] { return ++looks == 5; };
  const HuntResult result = unit::hunt(options);
  EXPECT_EQ(result.stopped_by, StoppedBy::kTime);
  EXPECT_EQ(result.executions, 40U);
}

// Blocks the first of two jobs in its first executions until the second one has finished.
class SlowFirstJob final : public Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override {
    threads_.each(count, [&](std::uint32_t job) {
      work(job);
      const std::lock_guard lock(mutex_);
      if (job == 1) second_finished_ = true;
      changed_.notify_all();
    });
  }
  // Makes the programs of the two jobs, one after another.
  [[nodiscard]] std::unique_ptr<Program> guarded(std::unique_ptr<Program> program) {
    program->set_guard(std::make_unique<Guard>(*this, made_++));
    return program;
  }
  // The number of executions that the second job has begun.
  [[nodiscard]] std::uint64_t begun_by_second() const { return begun_by_second_; }

 private:
  class Guard final : public ExecutionGuard {
   public:
    Guard(SlowFirstJob& whose, std::uint32_t job) : whose_(whose), job_(job) {}
    void begin(const fakezk::World&) override { whose_.begin(job_, ++begun_); }
    void end() noexcept override {}

   private:
    SlowFirstJob& whose_;
    std::uint32_t job_;
    std::uint32_t begun_ = 0;
  };

  // The searcher itself runs the first execution of each program.
  void begin(std::uint32_t job, std::uint32_t number) {
    std::unique_lock lock(mutex_);
    if (job == 1) {
      begun_by_second_ = number;
      if (number == 2) changed_.wait(lock, [this] { return first_is_stuck_; });
    } else if (number == 4) {
      first_is_stuck_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return second_finished_; });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool first_is_stuck_ = false;
  bool second_finished_ = false;
  std::uint32_t made_ = 0;
  std::uint64_t begun_by_second_ = 0;
  lab::JobThreads threads_{2};
};

TEST(HuntTest, NoJobWaitsForASlowOneAndTheResultIsTheSame) {
  for (const std::string_view scenario : {std::string_view("fair-mutex"), kZoo01, kZoo07}) {
    HuntOptions options = hunt_options(scenario, 5'000);
    const HuntResult expected = unit::hunt(options);
    SlowFirstJob workers;
    options.jobs = 2;
    options.make_program = [&workers, make = options.make_program] {
      return workers.guarded(make());
    };
    EXPECT_EQ(summary(hunt(options, workers)), summary(expected)) << scenario;
    if (expected.found) continue;
    EXPECT_GT(workers.begun_by_second(), 4'900U);
  }
}

TEST(HuntTest, AnExceptionInOneJobEndsAllJobs) {
  HuntOptions options = hunt_options("fair-mutex", 1'000'000'000'000);
  std::atomic<int> looks = 0;
  options.time_is_up = [&]() -> bool {
    if (++looks == 5) throw std::runtime_error("looks at the time");
    return false;
  };
  options.jobs = 2;
  lab::JobThreads threads(2);
  EXPECT_THROW(static_cast<void>(hunt(options, threads)), std::runtime_error);
}

TEST(HuntTest, CompleteHuntHasNotRunOutOfTime) {
  HuntOptions options = hunt_options("fair-mutex", 1'024);
  options.keep_going = [](std::uint64_t) { return false; };
  const HuntResult result = unit::hunt(options);
  EXPECT_EQ(result.executions, 1'024U);
  EXPECT_EQ(result.stopped_by, StoppedBy::kCount);
}

TEST(HuntTest, ZeroFaultsAreNoFaults) {
  HuntOptions options = hunt_options(kZoo07, 3'000);
  options.limits.faults = fakezk::FaultPlan::all(0);
  EXPECT_FALSE(unit::hunt(options).found.has_value());
}

// ---------------------------------------------------------------------------------- strategies

TEST(StrategyTest, EveryStrategyHasAUniqueName) {
  std::set<std::string_view> names;
  for (const StrategyName& strategy : strategies()) names.insert(strategy.name);
  EXPECT_EQ(names.size(), strategies().size());
  EXPECT_TRUE(names.contains("portfolio"));
  EXPECT_TRUE(names.contains("random"));
}

TEST(StrategyTest, EachIsAFunctionOfItsSeedAndSearchesWidely) {
  for (const StrategyName& strategy : strategies()) {
    HuntOptions options = hunt_options("fair-mutex", 0);
    options.make_strategy = strategy.make;
    Searcher one(options.make_program(), strategy.make(), options.limits, options.seed);
    Searcher other(options.make_program(), strategy.make(), options.limits, options.seed);
    std::set<std::uint64_t> traces;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Outcome outcome = one.run(i);
      ASSERT_EQ(other.run(i).trace_hash, outcome.trace_hash) << strategy.name << ' ' << i;
      ASSERT_FALSE(outcome.violation.has_value()) << outcome.violation->message;
      traces.insert(outcome.trace_hash);
    }
    EXPECT_GT(traces.size(), 60U) << strategy.name;
  }
}

TEST(StrategyTest, EachFindsTheTextbookRaces) {
  for (const StrategyName& strategy : strategies()) {
    for (const std::string_view scenario : {kZoo01, kZoo07}) {
      HuntOptions options = hunt_options(scenario, 20'000);
      options.make_strategy = strategy.make;
      const HuntResult result = unit::hunt(options);
      ASSERT_TRUE(result.found.has_value()) << strategy.name << ' ' << scenario;
      EXPECT_EQ(result.found->outcome.violation->oracle, "L1") << strategy.name;
    }
  }
}

TEST(StrategyTest, FaultsStrikeAsOftenAsDrawnAndAtAnyTime) {
  fakezk::RandomStream random(20260202);
  const ExecutionStart start{1, 40, {}, 2};
  std::vector<int> strikes(51);
  std::vector<int> counts(3);
  for (int i = 0; i < 30'000; ++i) {
    FaultTimes times;
    times.draw(random, start);
    std::size_t due = 0;
    for (std::size_t position = 0; position < strikes.size(); ++position) {
      if (!times.advance()) continue;
      ++strikes[position];
      ++due;
    }
    ++counts.at(due);
  }
  // One execution in sixteen has no fault; the others have one or two, equally often.
  const int none = 30'000 / static_cast<int>(FaultTimes::kFaultFreeShare);
  const int some = (30'000 - none) / 2;
  const int each = 3 * some / 51;
  for (const int strike : strikes) EXPECT_NEAR(strike, each, 120);
  EXPECT_NEAR(counts[0], none, 300);
  EXPECT_NEAR(counts[1], some, 600);
  EXPECT_NEAR(counts[2], some, 600);
}

}  // namespace
}  // namespace lockstep::search
