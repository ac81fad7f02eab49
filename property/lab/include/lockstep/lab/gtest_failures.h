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

// The state of a thread, which runs one execution at a time.
struct ExpectingThread {
  judge::LockOracles* judge = nullptr;  // Set from the first contender's start to the end.
  bool in_at_start = false;
  std::string before;  // A failure in at_start, before an oracle can report it.
};

}  // namespace lockstep::internal

namespace lockstep::lab {

// For lockstep/lab/gtest.h: turns a failed EXPECT or ASSERT inside a contender, an invariant or a
// check at the end into a violation of its execution, "user:expectation", with its schedule. The
// same holds for destructors that run when the world of an execution is cleared. While this lives,
// GoogleTest itself does not see these failures. A failure that belongs to no execution, on a
// thread that the code under test has started or between two executions, is kept in elsewhere().
class GTestFailures final : private ::testing::ScopedFakeTestPartResultReporter {
 public:
  GTestFailures()
      : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, nullptr),
        outside_(std::exchange(place_, {})) {}
  ~GTestFailures() override { place_ = std::move(outside_); }

  // The same lock; its contenders also record which execution their thread runs.
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

  // The failures that belong to no execution; empty if there are none.
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
  // State of the enclosing hunt, if this one is nested.
  lockstep::internal::ExpectingThread outside_;
  std::mutex mutex_;
  std::string elsewhere_;
};

}  // namespace lockstep::lab
