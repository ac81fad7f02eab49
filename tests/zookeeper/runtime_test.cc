#include "lockstep/zookeeper/runtime.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/blocking/run.h"
#include "lockstep/ok.h"
#include "lockstep/sleep.h"

namespace lockstep::zookeeper {
namespace {

constexpr std::chrono::milliseconds kBriefly(5);

// Notes its name when it runs.
class Noted final : public Runnable {
 public:
  Noted(std::vector<std::string>& log, std::string note) : log_(log), note_(std::move(note)) {}
  void run() override { log_.push_back(note_); }

 private:
  std::vector<std::string>& log_;
  std::string note_;
};

// Posts other work when it runs, and notes its name.
class Posting final : public Runnable {
 public:
  Posting(Runtime& runtime, std::vector<std::string>& log, Runnable& then)
      : runtime_(runtime), log_(log), then_(then) {}
  void run() override {
    log_.emplace_back("posting");
    runtime_.post(then_);
  }

 private:
  Runtime& runtime_;
  std::vector<std::string>& log_;
  Runnable& then_;
};

Task<void> nothing() { co_return; }

Task<void> pause(Executor& executor, Duration duration) {
  static_cast<void>(co_await sleep_for(executor, duration));
}

Task<void> fail_after(Executor& executor, Duration duration) {
  static_cast<void>(co_await sleep_for(executor, duration));
  throw std::runtime_error("failed");
}

Task<void> wait_for_stop(Executor& executor, std::stop_token stop, Result<void>& result) {
  result = co_await sleep_for(executor, std::chrono::hours(1), std::move(stop));
}

TEST(RuntimeTest, RunsATaskToItsEnd) {
  Runtime runtime;
  runtime.run(nothing());
  const TimePoint start = runtime.now();
  runtime.run(pause(runtime, kBriefly));
  EXPECT_GE(runtime.now(), start + kBriefly);
}

TEST(RuntimeTest, RethrowsTheTasksException) {
  Runtime runtime;
  EXPECT_THROW(runtime.run(fail_after(runtime, kBriefly)), std::runtime_error);
  runtime.run(nothing());
}

TEST(RuntimeTest, AnExceptionOfASpawnedTaskEndsTheRun) {
  Runtime runtime;
  runtime.spawn(fail_after(runtime, kBriefly));
  EXPECT_THROW(runtime.run(pause(runtime, std::chrono::hours(1))), std::runtime_error);
  runtime.run(nothing());
}

// Throws when it runs.
class Throwing final : public Timer {
 public:
  void run() override { throw std::runtime_error("failed"); }
};

TEST(RuntimeTest, AnExceptionOfPostedWorkEndsTheRunAndNothingElse) {
  Runtime runtime;
  std::vector<std::string> log;
  Throwing bad;
  Noted later(log, "later");
  runtime.post(bad);
  runtime.post(later);
  EXPECT_THROW(runtime.run(pause(runtime, std::chrono::hours(1))), std::runtime_error);
  runtime.run(pause(runtime, kBriefly));
  EXPECT_EQ(log, std::vector<std::string>{"later"});
  Throwing timer;
  runtime.start_timer(timer, runtime.now());
  EXPECT_THROW(runtime.run(pause(runtime, std::chrono::hours(1))), std::runtime_error);
  runtime.run(nothing());
}

TEST(RuntimeTest, WorkOfTheLoopRunsBeforeWorkFromOutside) {
  Runtime runtime;
  std::vector<std::string> log;
  Noted consequence(log, "consequence");
  Noted second(log, "second from outside");
  Posting first(runtime, log, consequence);
  std::async(std::launch::async, [&] {
    runtime.post(first);
    runtime.post(second);
  }).get();
  runtime.run(pause(runtime, kBriefly));
  EXPECT_EQ(log, (std::vector<std::string>{"posting", "consequence", "second from outside"}));
}

// Notes each of its three runs, after which it is due again at once.
class AlwaysDue final : public Timer {
 public:
  AlwaysDue(Runtime& runtime, std::vector<std::string>& log)
      : runtime_(runtime), log_(log), due_(runtime.now()) {
    runtime_.start_timer(*this, due_);
  }
  ~AlwaysDue() override { runtime_.stop_timer(*this); }

 private:
  void run() override {
    log_.emplace_back("timer");
    if (++runs_ < 3) runtime_.start_timer(*this, due_);
  }

  Runtime& runtime_;
  std::vector<std::string>& log_;
  TimePoint due_;
  int runs_ = 0;
};

TEST(RuntimeTest, DueTimersAndWorkFromOutsideTakeTurns) {
  Runtime runtime;
  std::vector<std::string> log;
  Noted consequence(log, "consequence");
  Posting first(runtime, log, consequence);
  Noted second(log, "second");
  runtime.post_as_outside(first);
  runtime.post_as_outside(second);
  const AlwaysDue timer(runtime, log);
  runtime.run(pause(runtime, kBriefly));
  EXPECT_EQ(log, (std::vector<std::string>{"timer", "posting", "consequence", "timer", "second",
                                           "timer"}));
}

TEST(RuntimeTest, WithdrawnWorkDoesNotRun) {
  Runtime runtime;
  std::vector<std::string> log;
  Noted local(log, "local");
  Noted outside(log, "outside");
  runtime.post(local);
  runtime.post_as_outside(outside);
  runtime.withdraw(outside);
  runtime.withdraw(local);
  runtime.withdraw(local);
  runtime.run(pause(runtime, kBriefly));
  EXPECT_TRUE(log.empty());
}

TEST(RuntimeTest, AStopFromAnotherThreadWakesTheLoop) {
  Runtime runtime;
  for (int round = 0; round < 20; ++round) {
    std::stop_source stop;
    Result<void> result;
    std::jthread stopper([&stop] { stop.request_stop(); });
    runtime.run(wait_for_stop(runtime, stop.get_token(), result));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), Error::kCancelled);
  }
}

TEST(RuntimeTest, TimersRunInTheOrderOfTheirDueTimes) {
  Runtime runtime;
  std::vector<int> order;
  const auto note = [](Runtime& executor, std::vector<int>& log, int value) -> Task<void> {
    static_cast<void>(co_await sleep_for(executor, std::chrono::milliseconds(value)));
    log.push_back(value);
  };
  runtime.spawn(note(runtime, order, 6));
  runtime.spawn(note(runtime, order, 2));
  runtime.spawn(note(runtime, order, 4));
  runtime.run(pause(runtime, std::chrono::milliseconds(8)));
  EXPECT_EQ(order, (std::vector<int>{2, 4, 6}));
}

Task<ReleaseOutcome> release_slowly(Runtime& runtime, bool& begun) {
  begun = true;
  static_cast<void>(co_await sleep_for(runtime, std::chrono::hours(1)));
  co_return ReleaseOutcome::kReleased;
}

ReleaseOutcome block_on_release(Runtime& runtime, bool& begun) {
  return blocking::run(runtime, [&] { return release_slowly(runtime, begun); });
}

Task<void> release_inside(Runtime& runtime, std::vector<ReleaseOutcome>& outcomes, bool& begun) {
  outcomes.push_back(block_on_release(runtime, begun));
  co_return;
}

TEST(RuntimeTest, AReleaseOnTheLoopsThreadBeginsAndIsNotAwaited) {
  Runtime runtime;
  std::vector<ReleaseOutcome> outcomes;
  bool begun = false;
  runtime.run(release_inside(runtime, outcomes, begun));
  EXPECT_TRUE(std::exchange(begun, false));
  outcomes.push_back(block_on_release(runtime, begun));  // No loop runs.
  EXPECT_TRUE(begun);
  EXPECT_EQ(outcomes, std::vector(2, ReleaseOutcome::kUnknown));
}

TEST(RuntimeTest, AReleaseOnAnotherThreadReturnsIfNoLoopRuns) {
  Runtime runtime;
  bool begun = false;
  const auto release = [&] { return block_on_release(runtime, begun); };
  EXPECT_EQ(std::async(std::launch::async, release).get(), ReleaseOutcome::kUnknown);
  EXPECT_FALSE(begun);
}

TEST(RuntimeTest, RandomBitsDiffer) {
  Runtime a;
  Runtime b;
  EXPECT_NE(a.random().next(), b.random().next());
  EXPECT_NE(a.random().next(), a.random().next());
}

}  // namespace
}  // namespace lockstep::zookeeper
