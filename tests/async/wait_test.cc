#include "lockstep/internal/wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/watch.h"
#include "lockstep/within.h"
#include "support/by_hand.h"
#include "support/manual_executor.h"

namespace lockstep {
namespace {

using namespace unit;

// ---------------------------------------------------- two ends of one wait at the same instant

// Waits for a watch that the test resolves itself, on an executor that the test runs itself.
class WaitTest : public ::testing::Test {
 protected:
  ~WaitTest() override { tasks_.clear(); }
  void wait(Context context) { tasks_.spawn(keep(watch_, std::move(context), results_)); }
  void resolve() { state_->resolve(WatchEvent(EventType::kChanged, "/a")); }

  static Task<void> keep(const Watch& watch, Context context,
                         std::vector<std::optional<Error>>& results) {
    const auto result = co_await watch.fired(std::move(context));
    results.push_back(error_of(result));
  }

  ManualExecutor executor_;
  const TimePoint deadline_ = executor_.now() + 1s;
  const internal::Ref<internal::WatchState> state_ = internal::Ref<internal::WatchState>::make();
  Watch watch_{executor_, state_};
  std::vector<std::optional<Error>> results_;
  TaskSet tasks_;
};

TEST_F(WaitTest, ResumesThroughTheExecutorsQueue) {
  wait(Context());
  resolve();
  EXPECT_TRUE(results_.empty());
  EXPECT_EQ(executor_.run_posted(), 1);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
}

TEST_F(WaitTest, EndlessContextStartsNoTimer) {
  wait(Context());
  EXPECT_EQ(executor_.timers(), 0U);
  resolve();
  executor_.run_posted();
  EXPECT_EQ(results_.size(), 1U);
}

TEST_F(WaitTest, ADeadlineAtTheEndOfTimeStartsNoTimer) {
  wait(TimePoint::max());
  EXPECT_EQ(executor_.timers(), 0U);
  resolve();
  executor_.run_posted();
  EXPECT_EQ(results_.size(), 1U);
}

TEST_F(WaitTest, ResultThenDeadlineGivesTheResultOnce) {
  wait(deadline_);
  EXPECT_EQ(executor_.timers(), 1U);
  executor_.set_time(deadline_);
  resolve();
  EXPECT_EQ(executor_.timers(), 0U);
  executor_.fire_timers();
  EXPECT_EQ(executor_.run_posted(), 1);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
}

TEST_F(WaitTest, DeadlineThenResultGivesTimedOutOnce) {
  wait(deadline_);
  executor_.set_time(deadline_);
  executor_.fire_timers();
  resolve();
  EXPECT_EQ(executor_.run_posted(), 1);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{Error::kTimedOut});
  EXPECT_TRUE(watch_.has_fired());  // The event is not lost,
  wait(Context());                  // The next waiter gets it.
  EXPECT_EQ(results_.back(), std::nullopt);
}

TEST_F(WaitTest, StopThenResultGivesTheResultOnce) {
  std::stop_source stop;
  wait(stop.get_token());
  stop.request_stop();  // Posted, not yet run.
  resolve();
  EXPECT_EQ(executor_.run_posted(), 1);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
}

TEST_F(WaitTest, StopAndDeadlineGiveOneError) {
  std::stop_source stop;
  wait(Context(deadline_, stop.get_token()));
  executor_.set_time(deadline_);
  executor_.fire_timers();
  stop.request_stop();
  EXPECT_EQ(executor_.run_posted(), 1);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{Error::kTimedOut});
}

TEST_F(WaitTest, StopBeforeTheWaitIsCancelledAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  wait(Context(deadline_, stop.get_token()));
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{Error::kCancelled});
  EXPECT_EQ(executor_.timers(), 0U);
}

TEST_F(WaitTest, ReadyResultBeatsAnEndedContext) {
  resolve();
  wait(executor_.now());
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
}

TEST_F(WaitTest, StopFromAnotherThreadIsHandedToTheExecutor) {
  std::stop_source stop;
  wait(stop.get_token());
  std::thread([&] { stop.request_stop(); }).join();
  EXPECT_TRUE(results_.empty());
  executor_.run_posted();
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{Error::kCancelled});
}

TEST_F(WaitTest, DestroyedWaitIsForgotten) {
  std::stop_source stop;
  wait(Context(deadline_, stop.get_token()));
  tasks_.clear();
  EXPECT_EQ(executor_.timers(), 0U);
  stop.request_stop();
  resolve();
  EXPECT_EQ(executor_.run_posted(), 0);
  EXPECT_TRUE(results_.empty());
}

TEST_F(WaitTest, DestroyedBetweenResultAndResumptionItDoesNotResume) {
  wait(Context());
  resolve();
  tasks_.clear();
  EXPECT_EQ(executor_.run_posted(), 0);
  EXPECT_TRUE(results_.empty());
}

// ------------------------------------------------------------------------------------ sleeping

Task<void> keep_sleep(Executor& executor, TimePoint until, Context context,
                      std::vector<std::optional<Error>>& results) {
  const auto result = co_await sleep_until(executor, until, std::move(context));
  results.push_back(error_of(result));
}

class SleepTest : public ::testing::Test {
 protected:
  void start(Duration duration, Context context = Context()) {
    tasks_.spawn(keep_sleep(executor_, executor_.now() + duration, std::move(context), results_));
  }
  void pass(Duration duration) {
    executor_.set_time(executor_.now() + duration);
    executor_.fire_timers();
    executor_.run_posted();
  }

  ManualExecutor executor_;
  std::vector<std::optional<Error>> results_;
  TaskSet tasks_;
};

TEST_F(SleepTest, EndsAtItsInstantNotBefore) {
  start(5s);
  pass(5s - 1ns);
  EXPECT_TRUE(results_.empty());
  pass(1ns);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
}

TEST_F(SleepTest, InstantInThePastIsNoWait) {
  start(0s);
  start(-1s);
  EXPECT_EQ(results_.size(), 2U);
  EXPECT_EQ(executor_.timers(), 0U);
}

TEST_F(SleepTest, ContextThatEndsFirstEndsIt) {
  std::stop_source stop;
  start(5s, executor_.now() + 2s);
  start(5s, stop.get_token());
  start(5s, executor_.now());
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{Error::kTimedOut});
  pass(2s);
  EXPECT_EQ(results_.size(), 2U);
  stop.request_stop();
  pass(0s);
  EXPECT_EQ(results_, (std::vector<std::optional<Error>>{Error::kTimedOut, Error::kTimedOut,
                                                         Error::kCancelled}));
  EXPECT_EQ(executor_.timers(), 0U);
}

TEST_F(SleepTest, DeadlineAtTheSameInstantGivesOneResult) {
  start(5s, executor_.now() + 5s);
  pass(5s);
  EXPECT_EQ(results_, std::vector<std::optional<Error>>{std::nullopt});
  EXPECT_EQ(executor_.timers(), 0U);
}

TEST_F(SleepTest, DestroyedItStopsItsTimer) {
  start(5s, executor_.now() + 7s);
  EXPECT_EQ(executor_.timers(), 2U);
  tasks_.clear();
  EXPECT_EQ(executor_.timers(), 0U);
}

// ----------------------------------------------------------------------------- operations

class OperationContextTest : public SimulatedSessionTest {};

TEST_F(OperationContextTest, EndedContextSendsNothing) {
  const RequestCounter requests(simulation_);
  std::stop_source stop;
  stop.request_stop();
  const auto late = simulation_.run(get_data(*session_, "/", simulation_.now()));
  const auto stopped = simulation_.run(get_data(*session_, "/", stop.get_token()));
  const auto both =
      run_and_settle(get_data(*session_, "/", Context(simulation_.now(), stop.get_token())));
  EXPECT_EQ(error_of(late), Error::kTimedOut);
  EXPECT_EQ(error_of(stopped), Error::kCancelled);
  EXPECT_EQ(error_of(both), Error::kCancelled);
  EXPECT_EQ(requests.total(), 0U);
}

// The operation is sent when made, so events before the co_await count as well.
Task<Result<DataAndStat>> await_later(Session& session, Context context, Executor& executor) {
  auto read = session.get_data("/", context);
  static_cast<void>(co_await sleep_for(executor, 5s));
  co_return co_await read;
}

TEST_F(OperationContextTest, ReplyBeforeTheAwaitCountsInAnyContext) {
  const auto read =
      simulation_.start(await_later(*session_, simulation_.now() + 1s, session_->executor()));
  simulation_.run_until(read);
  EXPECT_TRUE(read.result().has_value());
}

TEST_F(OperationContextTest, DeadlineThatPassedBeforeTheAwaitEndsItThere) {
  simulation_.hold_inbox(*session_);
  const TimePoint start = simulation_.now();
  const auto read = simulation_.start(await_later(*session_, start + 1s, session_->executor()));
  simulation_.run_until(read);
  EXPECT_EQ(error_of(read.result()), Error::kTimedOut);
  EXPECT_EQ(simulation_.now(), start + 5s);
}

Task<Result<void>> sleep_without_end(Executor& executor, Context context) {
  co_return co_await sleep_for(executor, Duration::max(), context);
}

TEST_F(OperationContextTest, ASleepWithoutEndEndsWithItsContext) {
  const auto sleeping =
      start_and_settle(sleep_without_end(session_->executor(), simulation_.now() + 1h));
  EXPECT_FALSE(sleeping.done());
  simulation_.run_until(sleeping);
  EXPECT_EQ(error_of(sleeping.result()), Error::kTimedOut);
}

TEST(ClockTest, ATimeThatWouldOverflowIsTheEndOfTime) {
  const TimePoint now(5s);
  EXPECT_EQ(after(now, 1s), TimePoint(6s));
  EXPECT_EQ(after(now, -1s), TimePoint(4s));
  EXPECT_EQ(after(now, Duration::max()), TimePoint::max());
  EXPECT_EQ(after(TimePoint(-5s), Duration::max()), TimePoint(Duration::max() - 5s));
}

TEST(ContextTest, DescribesItsParts) {
  const Context none;
  EXPECT_TRUE(none.endless());
  EXPECT_EQ(none.deadline(), std::nullopt);
  const TimePoint deadline(5s);
  const Context timed(deadline);
  EXPECT_FALSE(timed.endless());
  EXPECT_EQ(timed.deadline(), deadline);
  const std::stop_source stop;
  const Context stoppable(stop.get_token());
  EXPECT_FALSE(stoppable.endless());
  EXPECT_FALSE(stoppable.stop().stop_requested());
  EXPECT_FALSE(Context(deadline, stop.get_token()).endless());
  EXPECT_TRUE(Context(TimePoint::max()).endless());
  EXPECT_FALSE(Context(TimePoint::max(), stop.get_token()).endless());
}

TEST(ContextTest, EndsAtATimeOfAnyUnit) {
  using Hours = std::chrono::time_point<Clock, std::chrono::hours>;
  using Picoseconds = std::chrono::duration<std::int64_t, std::pico>;
  using Seconds = std::chrono::time_point<Clock, std::chrono::duration<double>>;
  EXPECT_EQ(until(TimePoint(5s)).deadline(), TimePoint(5s));
  EXPECT_EQ(until(Hours(2h)).deadline(), TimePoint(2h));
  EXPECT_EQ(until(std::chrono::time_point<Clock, Picoseconds>(Picoseconds(1001))).deadline(),
            TimePoint(2ns));
  for (const Context& never :
       {until(TimePoint::max()), until(Hours::max()), until(Seconds::max())}) {
    EXPECT_TRUE(never.endless());
  }
  EXPECT_EQ(until(Hours::min()).deadline(), TimePoint::min());
  EXPECT_EQ(until(Seconds::min()).deadline(), TimePoint::min());
  const std::stop_source stop;
  EXPECT_FALSE(until(Hours::max(), stop.get_token()).endless());
}

}  // namespace
}  // namespace lockstep
