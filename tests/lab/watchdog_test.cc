#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include "lockstep/search/hunt.h"
#include "lockstep/sleep.h"
#include "scenarios/registry.h"

namespace {
std::atomic<bool> reports = false;
}

// AddressSanitizer's, in a build with it. Elsewhere the first one is missing, and the second is
// this.
extern "C" {
[[gnu::weak]] void __asan_set_error_report_callback(void (*callback)(const char* report));
[[gnu::weak]] int __asan_report_present();
int __asan_report_present() { return reports ? 1 : 0; }
}

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

// A report takes as long as the sanitizer needs to find the names of functions.
void report_slowly(const char*) {
  reports = true;
  const auto end = std::chrono::steady_clock::now() + 12s;
  while (std::chrono::steady_clock::now() < end) {
  }
  std::_Exit(7);
}

Task<void> read_freed_memory(Contender&, Path, std::uint32_t) {
  if (!__asan_set_error_report_callback) report_slowly("");
  __asan_set_error_report_callback(&report_slowly);
  auto number = std::make_unique<volatile int>(1);
  volatile int* const freed = number.get();
  number.reset();
  static_cast<void>(*freed);  // NOLINT(clang-analyzer-cplusplus.NewDelete): the flaw
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

TEST(WatchdogDeathTest, LeavesTimeForASanitizersReport) {
  EXPECT_EXIT(hunt_alone(&read_freed_memory, 1), testing::ExitedWithCode(7), "");
}

TEST(WatchdogDeathTest, EndsCodeThatNeverReturns) {
  EXPECT_DEATH(hunt_alone(&never_end, 1), "not returned for 10 s. It is still computing");
}

}  // namespace
}  // namespace lockstep::lab
