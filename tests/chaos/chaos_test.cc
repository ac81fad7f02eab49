#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/chaos_run.h"
#include "chaos/real_servers.h"

// Locks in production under all faults, as a sample by default: LOCKSTEP_CHAOS_SECONDS sets the
// length, LOCKSTEP_CHAOS_SEED the faults. (Their effect also depends on the operating system's
// scheduler.)
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
  ASSERT_GT(total, 0U) << "LOCKSTEP_CHAOS_SECONDS is not a number from 1";
  plan.rounds = static_cast<int>((total + kSecondsOfRound - 1) / kSecondsOfRound);
  plan.chaos = milliseconds(seconds(total)) / plan.rounds;
  std::printf("chaos: seed %llu\n", static_cast<unsigned long long>(plan.seed));
  std::fflush(stdout);
  RealServers servers(ZookeeperEnsemble::shared());
  ChaosRun run(servers, plan);
  run.run();
  std::printf("%s\n", run.figures().c_str());
  EXPECT_TRUE(run.violations().empty()) << run.report();
  EXPECT_GT(run.judged().grants, 0U);
  EXPECT_GT(run.judged().intervals, 0U);
}

// A contender with one flaw, and the check that must notice it without faults.
struct Broken {
  Flaw flaw;
  const char* check;
};

Plan plan_of(const Broken& broken) {
  Plan plan;
  plan.processes = 2;
  // Only the flaw may cost a contender its znodes, not a busy machine.
  plan.session_timeouts = {seconds(40)};
  plan.flaw = broken.flaw;
  plan.again_without_faults = broken.flaw == Flaw::kLeaks;
  // The run waits this long for a release that never comes.
  if (broken.flaw == Flaw::kNeverReleases) plan.patience = seconds(6);
  if (broken.flaw == Flaw::kLeavesZnode || broken.flaw == Flaw::kHidesEnds) {
    plan.patience_at_rest = seconds(3);
  }
  return plan;
}

TEST(ChaosTest, EachCheckNoticesABrokenContender) {
  const std::vector<Broken> all = {
      {Flaw::kNone, ""},
      {Flaw::kDoesNotWait, "server order"},
      {Flaw::kIgnoresLoss, "resource"},
      {Flaw::kUsesAfterRelease, "client order"},
      {Flaw::kLeavesZnode, "orphans"},
      {Flaw::kNeverReleases, "served"},
      {Flaw::kNeverEnds, "completions"},
      {Flaw::kInventsToken, "resource"},
      {Flaw::kWritesToStderr, "stderr"},
      {Flaw::kLeaks, "memory"},
      {Flaw::kTellsLossTwice, "notices"},
      {Flaw::kTellsLossLate, "notices"},
      {Flaw::kHidesEnds, "notices"},
  };
  RealServers servers(ZookeeperEnsemble::shared());
  std::deque<ChaosRun> runs;
  for (const Broken& broken : all) runs.emplace_back(servers, plan_of(broken));
  std::vector<std::future<void>> ends;
  ends.reserve(all.size());
  for (ChaosRun& run : runs) ends.push_back(std::async(std::launch::async, &ChaosRun::run, &run));
  for (std::future<void>& end : ends) end.get();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::set<std::string> failed = runs[i].failed_checks();
    const std::string check = all[i].check;
    const std::string_view flaw = kFlawNames[static_cast<std::size_t>(all[i].flaw)];
    EXPECT_EQ(failed.count(check), check.empty() ? 0U : 1U) << flaw << ": " << runs[i].report();
    EXPECT_EQ(failed.empty(), check.empty()) << flaw << ": " << runs[i].report();
  }
}

}  // namespace
}  // namespace lockstep::chaos
