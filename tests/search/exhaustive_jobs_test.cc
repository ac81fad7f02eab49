// Several jobs share an exhaustive search, and their number does not change its result.
#include "lockstep/search/exhaustive_jobs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "expect_equal_searches.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/job_threads.h"
#include "plays.h"
#include "scenarios/registry.h"
#include "search/with_faults.h"

namespace lockstep::search {
namespace {

using namespace unit;

std::unique_ptr<Program> two_contend_fairly() {
  return std::make_unique<lab::LockScenario>(scenarios::lock_scenario<FairMutex>(),
                                             lab::ScenarioSize{2, 1});
}

// Runs the jobs one after another: the last one does all the work.
class LastJobFirst final : public Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override {
    for (std::uint32_t job = count; job-- > 0;) work(job);
  }
};

void expect_same_for_any_number(const ExhaustiveOptions& options, const ExhaustiveJobs& jobs) {
  const std::unique_ptr<Program> program = jobs.make_program();
  const ExhaustiveResult expected = search_exhaustively(*program, options);
  for (const std::uint32_t count : {1U, 2U, 5U}) {
    ExhaustiveJobs some = jobs;
    some.count = count;
    lab::JobThreads threads(count);
    expect_equal(search_exhaustively(options, some, threads), expected);
    LastJobFirst one_by_one;
    expect_equal(search_exhaustively(options, some, one_by_one), expected);
  }
}

TEST(ExhaustiveJobsTest, EveryNumberOfJobsFindsTheSameTraces) {
  expect_same_for_any_number(with_faults("all", 1), {.make_program = &two_contend_fairly});
}

// Every world numbers the paths whose parents fail.
TEST(ExhaustiveJobsTest, FaultsOfPathsMeanTheSameInEveryWorld) {
  const ExhaustiveOptions options = with_faults("parent-removal,cut:1", 2);
  const std::unique_ptr<Program> program = two_contend_fairly();
  const ExhaustiveResult result = search_exhaustively(*program, options);
  EXPECT_TRUE(result.exhausted);
  ASSERT_EQ(result.traces_by_fault.size(), 2U);
  EXPECT_GT(result.traces_by_fault[1].second, 0U);
  expect_same_for_any_number(options, {.make_program = &two_contend_fairly});
}

// Waits until its session ends, or the servers remove its container, which is empty again.
Task<void> mind_a_container(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->create("/box", "", CreateMode::kContainer));
  static_cast<void>(co_await (*session)->create("/box/a", "", CreateMode::kPersistent));
  static_cast<void>(co_await (*session)->remove("/box/a"));
  const auto seen = co_await (*session)->get_data_watched("/box");
  if (!seen) co_return;
  const Result<WatchEvent> event = co_await seen->watch.fired();
  fakezk::World& world = self.client().process().world();
  self.verdict().report(event ? "user:container" : "user:session", "it has ended", world.steps());
}

std::unique_ptr<Program> one_minds_a_container() {
  return std::make_unique<Play>(std::vector<Act>(1, &mind_a_container));
}

// Several jobs begin with the faults of paths, which are last in the order of the search.
TEST(ExhaustiveJobsTest, TheFirstViolationInTheOrderOfTheSearchIsTheOneFound) {
  const std::unique_ptr<Program> program = one_minds_a_container();
  const ExhaustiveResult last = search_exhaustively(*program, with_faults("cut,parent-removal", 1));
  ASSERT_TRUE(last.found);
  EXPECT_EQ(last.found->outcome.violation->oracle, "user:container");
  const ExhaustiveOptions options = with_faults("cut,kill-session,parent-removal", 1);
  const ExhaustiveResult result = search_exhaustively(*program, options);
  ASSERT_TRUE(result.found);
  EXPECT_EQ(result.found->outcome.violation->oracle, "user:session");
  EXPECT_EQ(result.executions, result.found->execution + 1);
  expect_same_for_any_number(options, {.make_program = &one_minds_a_container});
}

TEST(ExhaustiveJobsTest, ABoundOnExecutionsIsKept) {
  ExhaustiveOptions options = with_faults("cut,crash", 1);
  options.executions = 100;
  const std::unique_ptr<Program> program = two_contend_fairly();
  const ExhaustiveResult result = search_exhaustively(*program, options);
  EXPECT_EQ(result.executions, 100U);
  EXPECT_TRUE(result.stopped_by_count);
  expect_same_for_any_number(options, {.make_program = &two_contend_fairly});
}

TEST(ExhaustiveJobsTest, TheCallerCanEndTheSearchOfAllJobs) {
  ExhaustiveOptions options = with_faults("cut,crash,kill-session", 2);
  options.keep_going = [](std::uint64_t executions) { return executions < 2'000; };
  lab::JobThreads threads(2);
  const ExhaustiveResult result =
      search_exhaustively(options, {.count = 2, .make_program = &two_contend_fairly}, threads);
  EXPECT_FALSE(result.exhausted);
  EXPECT_FALSE(result.stopped_by_count);
  EXPECT_GE(result.executions, 1'000U);
  EXPECT_LT(result.executions, 10'000U);
}

}  // namespace
}  // namespace lockstep::search
