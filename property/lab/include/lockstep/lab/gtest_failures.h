#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/lab/lock_under_test.h"

namespace lockstep::internal {

// Where a thread is: it has one execution under way at a time.
struct ExpectingThread {
  judge::LockOracles* judge = nullptr;  // From the first contender's beginning to the end.
  bool in_at_start = false;
  std::string before;  // What has failed there: nobody judges yet.
};

}  // namespace lockstep::internal

namespace lockstep::lab {

// For lockstep/lab/gtest.h: what is EXPECTed or ASSERTed of GoogleTest inside a contender, an
// invariant or a check at the end, and does not hold, is a violation of its execution,
// "user:expectation", with the schedule that leads there. So it is in destructors that run when the
// execution is over and its world is cleared away. As long as this lives GoogleTest itself hears of
// no failure. One that no execution can be blamed for, on a thread that the code under test has
// started or between two executions, is kept for whoever asks.
class GTestFailures final : private ::testing::ScopedFakeTestPartResultReporter {
 public:
  GTestFailures()
      : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, nullptr),
        outside_(std::exchange(place_, {})) {}
  ~GTestFailures() override { place_ = std::move(outside_); }

  // The same lock, whose contenders say in which execution they are.
  [[nodiscard]] static LockUnderTest watched(LockUnderTest lock) {
    if (!lock.contend) return lock;
    lock.contend = [contend = std::move(lock.contend)](Contender& self, Path path,
                                                       std::uint32_t rounds) {
      begins(self.oracles());
      return contend(self, std::move(path), rounds);
    };
    if (!lock.at_start) return lock;
    lock.at_start = [at_start = std::move(lock.at_start)] {
      place_ = lockstep::internal::ExpectingThread();
      const AtStart within;
      at_start();
    };
    return lock;
  }

  // What has failed in no execution, or empty.
  [[nodiscard]] std::string elsewhere() {
    const std::lock_guard lock(mutex_);
    return elsewhere_;
  }

 private:
  class AtStart {
   public:
    AtStart() { place_.in_at_start = true; }
    AtStart(const AtStart&) = delete;
    AtStart& operator=(const AtStart&) = delete;
    ~AtStart() { place_.in_at_start = false; }
  };

  static void begins(judge::LockOracles& judge) {
    judge.tell_end(place_.judge);
    if (!place_.before.empty()) judge.violated(kOracle, std::exchange(place_.before, {}));
  }

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::string message = result.file_name() ? result.file_name() : "unknown file";
    message += ':' + std::to_string(result.line_number()) + ": " + result.message();
    if (place_.judge) return place_.judge->violated(kOracle, std::move(message));
    if (place_.in_at_start) {
      place_.before = std::move(message);
      return;
    }
    const std::lock_guard lock(mutex_);
    elsewhere_ += message + '\n';
  }

  static constexpr std::string_view kOracle = "user:expectation";
  static inline thread_local lockstep::internal::ExpectingThread place_;
  // Of a hunt inside of which this one is.
  lockstep::internal::ExpectingThread outside_;
  std::mutex mutex_;
  std::string elsewhere_;
};

}  // namespace lockstep::lab
