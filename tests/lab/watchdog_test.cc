#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "lockstep/search/hunt.h"
#include "lockstep/sleep.h"
#include "scenarios/registry.h"

// The watchdog notices code that leaves simulated time, not only on fibers.
namespace lockstep::lab {
namespace {

using namespace std::chrono_literals;

search::HuntResult hunt_alone(LockScenario::Contend contend, std::uint64_t executions) {
  search::HuntOptions options;
  options.executions = executions;
  options.make_program = [contend] {
    return std::make_unique<LockScenario>(scenarios::contention(contend), ScenarioSize{1, 1});
  };
  options.make_strategy = &search::make_random_walk;
  search::OneByOne one_by_one;
  return search::hunt(options, one_by_one);
}

Task<void> sleep_for_real(Contender&, Path, std::uint32_t) {
  std::promise<void> never;
  never.get_future().wait_for(20ms);
  co_return;
}

Task<void> sleep_in_simulated_time(Contender& self, Path, std::uint32_t) {
  static_cast<void>(co_await sleep_for(self.client().executor(), 20ms));
}

Task<void> wait_for_nobody(Contender&, Path, std::uint32_t) {
  std::promise<void> promise;
  promise.get_future().wait();
  co_return;
}

Task<void> never_end(Contender&, Path, std::uint32_t) {
  const std::atomic<bool> forever = true;
  while (forever) {
  }
  co_return;
}

TEST(WatchdogTest, WarnsOfCodeThatSleepsForReal) {
  testing::internal::CaptureStderr();
  hunt_alone(&sleep_in_simulated_time, 10'000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(hunt_alone(&sleep_for_real, 200).found);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("sleeps or waits for real"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << "more than once: " << said;
}

TEST(WatchdogDeathTest, EndsAWaitThatCannotEnd) {
  EXPECT_DEATH(hunt_alone(&wait_for_nobody, 1), "not returned for 10 s. It blocks in real time");
}

TEST(WatchdogDeathTest, EndsCodeThatNeverReturns) {
  EXPECT_DEATH(hunt_alone(&never_end, 1), "not returned for 10 s. It is still computing");
}

}  // namespace
}  // namespace lockstep::lab
