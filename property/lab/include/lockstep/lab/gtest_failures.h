#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/lab/lock_under_test.h"
#include "lockstep/search/program.h"

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
// Code with threads (lockstep::threads) and executions in child processes
// (LockUnderTest::in_forks) run one at a time: a failure on any thread belongs to the one that
// runs, and is reported at its end.
class GTestFailures final : private ::testing::ScopedFakeTestPartResultReporter {
 public:
  GTestFailures()
      : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, nullptr),
        outside_(std::exchange(place_, {})),
        outer_(std::exchange(current_, this)) {}
  ~GTestFailures() override {
    current_ = outer_;
    place_ = std::move(outside_);
  }

  // The same lock; its contenders also record which execution their thread runs.
  [[nodiscard]] static LockUnderTest watched(LockUnderTest lock) {
    const bool runs_one_at_a_time = lock.in_forks || (lock.make_program && !lock.isolated);
    lock = with_places(std::move(lock));
    if (!runs_one_at_a_time) return lock;
    lock.make_program = [program_of = lock](ScenarioSize size) {
      return std::make_unique<Watched>(program_of.program(size));
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

  // A program whose executions run one at a time, with the failures on all threads.
  class Watched final : public search::Program {
   public:
    explicit Watched(std::unique_ptr<search::Program> program) : program_(std::move(program)) {}

    [[nodiscard]] fakezk::ServerOptions servers() const override { return program_->servers(); }
    void reset(fakezk::World& world) override { program_->reset(world); }
    void start(fakezk::World& world, search::Verdict& verdict) override {
      world_ = &world;
      verdict_ = &verdict;
      earlier_ = current_ ? current_->elsewhere().size() : 0;
      program_->start(world, verdict);
    }
    [[nodiscard]] std::uint32_t most_steps(std::uint32_t usual) const override {
      return program_->most_steps(usual);
    }
    [[nodiscard]] fakezk::Restarter* restarter() override { return program_->restarter(); }
    void committed() override { program_->committed(); }
    void after_step(fakezk::World& world, search::Verdict& verdict) override {
      program_->after_step(world, verdict);
    }
    [[nodiscard]] bool judges_each_step() const override { return program_->judges_each_step(); }
    void finish(fakezk::World& world) override { program_->finish(world); }
    [[nodiscard]] search::Judgements judgements() const override { return program_->judgements(); }
    void clear() override {
      program_->clear();
      search::Verdict* const verdict = std::exchange(verdict_, nullptr);
      const std::string failed = current_ ? current_->take_elsewhere(earlier_) : std::string();
      if (verdict && !failed.empty()) verdict->report(kOracle, failed, world_->steps());
    }
    [[nodiscard]] bool isolated() const override { return program_->isolated(); }
    [[nodiscard]] std::string process_name(std::uint32_t process) const override {
      return program_->process_name(process);
    }

   private:
    std::unique_ptr<search::Program> program_;
    fakezk::World* world_ = nullptr;
    search::Verdict* verdict_ = nullptr;  // Set during an execution.
    std::size_t earlier_ = 0;             // The length of what was there before.
  };

  [[nodiscard]] static LockUnderTest with_places(LockUnderTest lock) {
    if (!lock.contend) return lock;
    lock.isolated = lock.shares_nothing();
    lock.usual_contend = nullptr;
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

  // Removes and returns what follows the first bytes.
  [[nodiscard]] std::string take_elsewhere(std::size_t first) {
    const std::lock_guard lock(mutex_);
    if (elsewhere_.size() <= first) return {};
    std::string taken = elsewhere_.substr(first);
    elsewhere_.erase(first);
    return taken;
  }

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
  static inline GTestFailures* current_ = nullptr;
  // State of the enclosing hunt, if this one is nested.
  lockstep::internal::ExpectingThread outside_;
  GTestFailures* outer_;
  std::mutex mutex_;
  std::string elsewhere_;
};

}  // namespace lockstep::lab
