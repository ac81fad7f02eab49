#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "chaos/chaos_run.h"
#include "chaos/served_servers.h"

// The same locks on the simulated servers behind sockets, with shorter sessions and more frequent
// faults: in the same time, more happens than on real servers. LOCKSTEP_SERVED_CHAOS sets the
// number of seeds, LOCKSTEP_SERVED_CHAOS_SEED the first one.
namespace lockstep::chaos {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeOfChaos(4000);

std::uint64_t served_number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(ServedChaosTest, LocksKeepWhatTheyPromiseOnSimulatedServers) {
  const std::uint64_t first = served_number_in("LOCKSTEP_SERVED_CHAOS_SEED", 1);
  const std::uint64_t usual = std::getenv("LOCKSTEP_LONG") ? 20 : 1;
  const std::uint64_t seeds = served_number_in("LOCKSTEP_SERVED_CHAOS", usual);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    Plan plan;
    plan.seed = seed;
    plan.chaos = kTimeOfChaos;
    plan.session_timeouts = {milliseconds(500), milliseconds(700), milliseconds(900)};
    ServedServers servers;
    ChaosRun run(servers, plan);
    run.run();
    std::printf("%s\n", run.figures().c_str());
    std::fflush(stdout);
    EXPECT_TRUE(run.violations().empty()) << run.report();
    EXPECT_GT(run.judged().grants, 0U);
    EXPECT_GT(run.judged().intervals, 0U);
  }
}

}  // namespace
}  // namespace lockstep::chaos
