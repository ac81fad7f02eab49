// Exhaustive searches of blocking code: what moves the clock finds the threads that may go on.
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "hunting.h"
#include "lockstep/blocking/run.h"
#include "lockstep/lab/users.h"
#include "lockstep/sleep.h"
#include "plays.h"
#include "scenarios/registry.h"

namespace lockstep::search {
namespace {

using namespace unit;

Task<void> take_a_place(Session& session, Path path) {
  static_cast<void>(co_await session.create(std::move(path), Data(), CreateMode::kEphemeral));
}

Task<void> write_and_pause(Session& session, Path path) {
  static_cast<void>(co_await session.set_data(std::move(path), Data("x")));
  static_cast<void>(co_await sleep_for(session.executor(), std::chrono::seconds(1)));
}

// Two threads of one process.
Task<void> block_on_two_fibers(lab::Contender& self, Path path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  Executor& executor = self.client().executor();
  lab::Users users(self);
  users.start_on_fiber([&](lab::User&) {
    blocking::run(executor, [&] { return take_a_place(**session, Path(path.string() + "/a")); });
  });
  users.start_on_fiber([&](lab::User&) {
    blocking::run(executor, [&] { return write_and_pause(**session, path); });
  });
  co_await users.join();
}

TEST(ExhaustiveFibersTest, ReductionsAgreeOnThreadsThatMayGoOnWhenTheClockMoves) {
  lab::LockScenario scenario(scenarios::contention(&block_on_two_fibers), lab::ScenarioSize{1, 1});
  expect_agreement(scenario, "expiry", 1);
  expect_agreement(scenario, "timer", 1);
}

TEST(ExhaustiveFibersTest, ABlockingLockIsSearchedThroughWithAnExpiry) {
  const auto program = scenarios::find("fair-mutex-blocking")->make({2, 1});
  const ExhaustiveResult result = unit::explore(*program, Reduction::kSource, "expiry", 1);
  EXPECT_TRUE(result.exhausted) << result.independence_violated;
}

}  // namespace
}  // namespace lockstep::search
