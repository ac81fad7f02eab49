#include "lockstep/when_all.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/ok.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;
using Journal = std::vector<std::string>;

class WhenAllTest : public SimulatedSessionTest {
 protected:
  Executor& executor_ = session_->executor();
};

Task<int> later(Executor& executor, Duration delay, int value, Journal& journal) {
  journal.push_back("begins " + std::to_string(value));
  static_cast<void>(co_await sleep_for(executor, delay));
  journal.push_back("ends " + std::to_string(value));
  co_return value;
}
Task<void> nothing_later(Executor& executor, Duration delay) {
  static_cast<void>(co_await sleep_for(executor, delay));
}
Task<int> fails(Executor& executor, Duration delay, std::string what) {
  static_cast<void>(co_await sleep_for(executor, delay));
  throw std::runtime_error(what);
}
Task<int> at_once(int value) { co_return value; }
Task<int> fails_at_once() {
  throw std::runtime_error("at once");
  co_return 0;
}

TEST_F(WhenAllTest, RunsConcurrentlyAndAnswersInTheOrderOfTheTasks) {
  Journal journal;
  const TimePoint before = simulation_.now();
  const auto values = simulation_.run(
      when_all(later(executor_, 3s, 1, journal), later(executor_, 1s, 2, journal), at_once(3)));
  EXPECT_EQ(values, std::make_tuple(1, 2, 3));
  EXPECT_EQ(simulation_.now(), before + 3s);
  EXPECT_EQ(journal, Journal({"begins 1", "begins 2", "ends 2", "ends 1"}));
}

TEST_F(WhenAllTest, TasksThatNeverWaitAreJoinedAtOnce) {
  EXPECT_EQ(simulation_.run(when_all(at_once(1), at_once(2))), std::make_tuple(1, 2));
}

TEST_F(WhenAllTest, AcceptsAnyNumberOfOneType) {
  Journal journal;
  std::vector<Task<int>> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(later(executor_, (5 - i) * 1s, i, journal));
  EXPECT_EQ(simulation_.run(when_all(std::move(tasks))), std::vector<int>({0, 1, 2, 3, 4}));
  EXPECT_EQ(simulation_.run(when_all(std::vector<Task<int>>())), std::vector<int>());
}

TEST_F(WhenAllTest, AcceptsTasksWithoutResults) {
  const TimePoint before = simulation_.now();
  std::vector<Task<void>> tasks;
  for (int i = 1; i < 4; ++i) tasks.push_back(nothing_later(executor_, i * 1s));
  simulation_.run(when_all(std::move(tasks)));
  EXPECT_EQ(simulation_.now(), before + 3s);
  const auto mixed = simulation_.run(when_all(nothing_later(executor_, 1s), at_once(7)));
  EXPECT_EQ(std::get<1>(mixed), 7);
}

// The first exception is thrown after all tasks have ended.
TEST_F(WhenAllTest, FirstExceptionIsThrownOnceAllHaveEnded) {
  Journal journal;
  const auto started =
      simulation_.start(when_all(fails(executor_, 2s, "second"), fails(executor_, 1s, "first"),
                                 later(executor_, 3s, 1, journal)));
  simulation_.advance(2s);
  EXPECT_FALSE(started.done());
  simulation_.advance(1s);
  ASSERT_TRUE(started.done());
  EXPECT_EQ(journal.back(), "ends 1");
  EXPECT_EQ(message_of<std::runtime_error>([&] { static_cast<void>(started.result()); }), "first");
}

TEST_F(WhenAllTest, ExceptionBeforeTheFirstWaitIsThrownToo) {
  Journal journal;
  EXPECT_THROW(simulation_.run(when_all(fails_at_once(), later(executor_, 1s, 1, journal))),
               std::runtime_error);
  EXPECT_EQ(journal.back(), "ends 1");
}

TEST_F(WhenAllTest, DestroyingItDestroysEveryWait) {
  Journal journal;
  {
    Simulation simulation;
    const auto session = simulation.open("B");
    const auto started = simulation.start(when_all(later(session->executor(), 1s, 1, journal),
                                                   later(session->executor(), 2s, 2, journal)));
    simulation.end_tasks();
    simulation.run();
    EXPECT_FALSE(started.done());
  }
  EXPECT_EQ(journal, Journal({"begins 1", "begins 2"}));
}

// Results are moved, as a grant requires.
TEST_F(WhenAllTest, LocksAreTakenTogether) {
  FairMutex a(*session_, "/a");
  FairMutex b(*session_, "/b");
  auto both = simulation_.run(when_all(a.acquire(), b.acquire()));
  ASSERT_TRUE(std::get<0>(both).has_value());
  ASSERT_TRUE(std::get<1>(both).has_value());
  EXPECT_EQ(std::get<0>(both)->lock(), Path("/a"));
  EXPECT_EQ(simulation_.run(std::get<1>(both)->release()), ReleaseOutcome::kReleased);
}

Task<Result<void>> fail_on_a_missing_znode(Session& session) {
  static_cast<void>(co_await ok(session.set_data("/missing", Data("x"))));
  co_return Result<void>();
}
Task<Result<void>> hold_and_fail(Session& session, FairMutex& mutex) {
  const HeldLock held = co_await ok(mutex.acquire());
  co_await ok(fail_on_a_missing_znode(session));
  co_return Result<void>();
}

// Otherwise the first one would keep the lock that the second one waits for.
TEST_F(WhenAllTest, ATaskThatOkHasEndedGivesItsLockBackAtOnce) {
  FairMutex mutex(*session_, "/lock");
  const auto both =
      simulation_.run(when_all(hold_and_fail(*session_, mutex), hold_and_fail(*session_, mutex)));
  EXPECT_EQ(error_of(std::get<0>(both)), Error::kNoNode);
  EXPECT_EQ(error_of(std::get<1>(both)), Error::kNoNode);
}

Task<Result<void>> refuse_at_once(Session& session) {
  co_await ok(Result<void>(failure(Error::kConflict)));
  static_cast<void>(co_await session.exists("/"));
  co_return Result<void>();
}

TEST_F(WhenAllTest, ATaskThatOkHasEndedAtOnceGivesItsLockBack) {
  std::vector<Task<Result<void>>> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(refuse_at_once(*session_));
  for (const Result<void>& each : simulation_.run(when_all(std::move(tasks)))) {
    EXPECT_EQ(error_of(each), Error::kConflict);
  }
}

}  // namespace
}  // namespace lockstep
