#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "chaos/chaos_run.h"

// Locks in production while everything fails that can. A sample by default: LOCKSTEP_CHAOS_SECONDS
// says how long, LOCKSTEP_CHAOS_SEED what happens. (The same seed gives the same faults; what
// becomes of them is the scheduler's.)
namespace lockstep::chaos {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::ZookeeperEnsemble;

constexpr std::uint64_t kDefaultSeconds = 15;
constexpr std::uint64_t kSecondsOfRound = 50;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(ChaosTest, LocksKeepWhatTheyPromise) {
  Plan plan;
  plan.seed = number_from("LOCKSTEP_CHAOS_SEED", std::random_device()() % 1'000'000);
  const std::uint64_t total = number_from("LOCKSTEP_CHAOS_SECONDS", kDefaultSeconds);
  plan.rounds = static_cast<int>((total + kSecondsOfRound - 1) / kSecondsOfRound);
  plan.chaos = milliseconds(seconds(total)) / plan.rounds;
  std::printf("chaos: seed %llu\n", static_cast<unsigned long long>(plan.seed));
  std::fflush(stdout);
  ChaosRun run(ZookeeperEnsemble::shared(), plan);
  run.run();
  std::printf("%s\n", run.figures().c_str());
  EXPECT_TRUE(run.violations().empty()) << run.report();
}

// A contender that is broken in one way, without any faults, and the check that has to notice.
void expect_noticed(Flaw flaw, const std::string& check) {
  Plan plan;
  plan.processes = 2;
  plan.flaw = flaw;
  plan.again_without_faults = flaw == Flaw::kGrows;
  // What never happens is waited for.
  const bool waits = flaw == Flaw::kNeverReleases || flaw == Flaw::kLeavesZnode;
  if (waits) plan.patience = seconds(6);
  ChaosRun run(ZookeeperEnsemble::shared(), plan);
  run.run();
  EXPECT_EQ(run.failed_checks().count(check), check.empty() ? 0U : 1U) << run.report();
  EXPECT_EQ(run.failed_checks().empty(), check.empty()) << run.report();
}

TEST(ChaosTest, EachCheckNoticesABrokenContender) {
  expect_noticed(Flaw::kNone, "");
  expect_noticed(Flaw::kDoesNotWait, "server order");
  expect_noticed(Flaw::kIgnoresLoss, "resource");
  expect_noticed(Flaw::kUsesAfterRelease, "client order");
  expect_noticed(Flaw::kLeavesZnode, "orphans");
  expect_noticed(Flaw::kNeverReleases, "served");
  expect_noticed(Flaw::kNeverEnds, "completions");
  expect_noticed(Flaw::kInventsToken, "resource");
  expect_noticed(Flaw::kWritesToStderr, "stderr");
  expect_noticed(Flaw::kGrows, "memory");
}

}  // namespace
}  // namespace lockstep::chaos
