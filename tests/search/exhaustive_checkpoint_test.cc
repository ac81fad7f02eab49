// An interrupted exhaustive search goes on from its checkpoint, and finds the same as without the
// interruption.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expect_equal_searches.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/job_threads.h"
#include "lockstep/search/checkpoint.h"
#include "lockstep/search/exhaustive_jobs.h"
#include "plays.h"
#include "scenarios/registry.h"
#include "search/with_faults.h"

namespace lockstep::search {
namespace {

using namespace unit;

class KeptInMemory final : public Checkpoint {
 public:
  std::unique_ptr<std::istream> saved() override {
    return text ? std::make_unique<std::istringstream>(*text) : nullptr;
  }
  bool is_due() override { return true; }
  void save(const std::function<void(std::ostream&)>& write) override {
    std::ostringstream out;
    write(out);
    text = out.str();
    ++saves;
  }

  std::optional<std::string> text;
  int saves = 0;
};

template <class Mutex>
std::unique_ptr<Program> two_contend() {
  return std::make_unique<lab::LockScenario>(scenarios::lock_scenario<Mutex>(),
                                             lab::ScenarioSize{2, 1});
}

// Watches a znode, and asks again if its connection has failed meanwhile.
Task<void> break_after_a_cut(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto first = co_await (*session)->set_data("/a", "1");
  const auto second = co_await (*session)->set_data("/a", "2");
  const auto third = co_await (*session)->set_data("/a", "3");
  fakezk::World& world = self.client().process().world();
  if (first && second && !third) self.verdict().report("user:cut", "third", world.steps());
}

std::unique_ptr<Program> one_breaks() {
  return std::make_unique<Play>(std::vector<Act>{&write_once<'a'>, &break_after_a_cut});
}

ExhaustiveResult search_with(const ExhaustiveOptions& options, std::uint32_t count,
                             const ExhaustiveJobs& jobs) {
  ExhaustiveJobs some = jobs;
  some.count = count;
  lab::JobThreads threads(count);
  return search_exhaustively(options, some, threads);
}

// Interrupts the search whenever it has saved something new, until it is finished. Returns the
// number of interruptions.
int search_in_pieces(ExhaustiveOptions options, const ExhaustiveJobs& jobs,
                     const ExhaustiveResult& expected) {
  KeptInMemory kept;
  options.checkpoint = &kept;
  for (int interruptions = 0;; ++interruptions) {
    std::atomic<bool> goes_on = true;
    std::uint64_t finished = 0;
    const std::uint64_t pieces = static_cast<std::uint64_t>(interruptions) % 3 + 2;
    options.progress = [&](const ExhaustiveEstimate&) { goes_on = ++finished < pieces; };
    options.keep_going = [&](std::uint64_t) { return goes_on.load(); };
    const auto count = static_cast<std::uint32_t>(interruptions % 3 + 1);
    const ExhaustiveResult result = search_with(options, count, jobs);
    if (goes_on || result.exhausted || result.found) {
      expect_equal(result, expected);
      return interruptions;
    }
  }
}

TEST(ExhaustiveCheckpointTest, ASearchInPiecesFindsWhatAnUninterruptedOneFinds) {
  const ExhaustiveOptions options = with_faults("cut,parent-removal", 2);
  const ExhaustiveJobs jobs{.make_program = &two_contend<FairMutex>};
  const ExhaustiveResult expected = search_with(options, 1, jobs);
  ASSERT_TRUE(expected.exhausted);
  EXPECT_GT(search_in_pieces(options, jobs, expected), 2);
}

TEST(ExhaustiveCheckpointTest, ASearchInPiecesFindsTheSameViolation) {
  const ExhaustiveOptions options = with_faults("kill-session,cut,timer", 2);
  const ExhaustiveJobs jobs{.make_program = &one_breaks};
  const ExhaustiveResult expected = search_with(options, 1, jobs);
  ASSERT_TRUE(expected.found);
  search_in_pieces(options, jobs, expected);
}

TEST(ExhaustiveCheckpointTest, AFinishedSearchOnlyComparesTheProgram) {
  ExhaustiveOptions options = with_faults("cut,crash", 1);
  KeptInMemory kept;
  options.checkpoint = &kept;
  const ExhaustiveJobs jobs{.make_program = &two_contend<FairMutex>};
  const ExhaustiveResult expected = search_with(options, 2, jobs);
  EXPECT_GT(kept.saves, 3);
  int parts = 0;
  options.progress = [&](const ExhaustiveEstimate&) { ++parts; };
  expect_equal(search_with(options, 1, jobs), expected);
  EXPECT_EQ(parts, 1) << "the part without faults";
}

std::string why_refused(const ExhaustiveOptions& options, const ExhaustiveJobs& jobs) {
  try {
    static_cast<void>(search_with(options, 1, jobs));
  } catch (const UnusableCheckpoint& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(ExhaustiveCheckpointTest, AnotherProgramIsRefusedAndTheCheckpointKept) {
  ExhaustiveOptions options = with_faults("cut,crash", 1);
  KeptInMemory kept;
  options.checkpoint = &kept;
  static_cast<void>(search_with(options, 1, {.make_program = &two_contend<FairMutex>}));
  const std::string before = *kept.text;
  EXPECT_EQ(why_refused(options, {.make_program = &one_breaks}),
            "belongs to a program that does something else");
  EXPECT_EQ(*kept.text, before);
}

TEST(ExhaustiveCheckpointTest, ADamagedCheckpointIsRefused) {
  ExhaustiveOptions options = with_faults("cut", 1);
  KeptInMemory kept;
  options.checkpoint = &kept;
  const ExhaustiveJobs jobs{.make_program = &two_contend<FairMutex>};
  static_cast<void>(search_with(options, 1, jobs));
  const std::string whole = *kept.text;
  for (const std::size_t at : {std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    kept.text = whole;
    (*kept.text)[at] = static_cast<char>((*kept.text)[at] ^ 1);
    EXPECT_EQ(why_refused(options, jobs), "is damaged") << at;
    kept.text = whole.substr(0, at);
    EXPECT_EQ(why_refused(options, jobs), "is damaged") << at;
  }
  kept.text = whole + "x";
  EXPECT_EQ(why_refused(options, jobs), "is damaged");
}

TEST(ExhaustiveCheckpointTest, TheEstimateIsCloseFromTheBeginningAndExactAtTheEnd) {
  ExhaustiveOptions options = with_faults("cut,timer", 2);
  std::vector<ExhaustiveEstimate> estimates;
  options.progress = [&](const ExhaustiveEstimate& now) {
    if (now.fault_budget == 2) estimates.push_back(now);
  };
  static_cast<void>(search_with(options, 1, {.make_program = &two_contend<FairMutex>}));
  ASSERT_GT(estimates.size(), 4U);
  const ExhaustiveEstimate& last = estimates.back();
  EXPECT_EQ(last.finished, last.combinations);
  EXPECT_DOUBLE_EQ(last.expected_traces, static_cast<double>(last.traces));
  for (const std::size_t quarter : {1U, 2U, 3U}) {
    const ExhaustiveEstimate& early = estimates[estimates.size() * quarter / 4];
    EXPECT_GT(early.expected_traces, last.expected_traces / 2) << quarter;
    EXPECT_LT(early.expected_traces, last.expected_traces * 2) << quarter;
  }
}

}  // namespace
}  // namespace lockstep::search
