// The function that runs the world throws an uncaught exception once, and everything else goes on.
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/search/program.h"
#include "support/by_hand.h"
#include "support/session_waits.h"

namespace lockstep {
namespace {

using namespace unit;

class BadWork final : public Timer {
 public:
  explicit BadWork(std::string what) : what_(std::move(what)) {}
  void run() override { throw std::runtime_error(what_); }

 private:
  std::string what_;
};

class GoodWork final : public Runnable {
 public:
  void run() override { ran = true; }
  bool ran = false;
};

Task<void> throw_after_reading(Session& session, Path path) {
  static_cast<void>(co_await session.exists(path));
  throw std::runtime_error("read");
}

class ExceptionTest : public SimulatedTest {
 protected:
  std::string run() {
    return message_of<std::exception>([this] { simulation_.run(); });
  }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("B");
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(ExceptionTest, PostedWorkThatThrowsStopsNothingElse) {
  BadWork bad("posted");
  BadWork second("posted behind it");
  GoodWork good;
  session_->executor().post(bad);
  session_->executor().post(second);
  session_->executor().post(good);
  EXPECT_EQ(run(), "posted");
  EXPECT_TRUE(good.ran);
  EXPECT_EQ(run(), "");
}

TEST_F(ExceptionTest, TimerThatThrowsStopsNothingElse) {
  BadWork timer("timer");
  session_->executor().start_timer(timer, simulation_.now() + 1s);
  const auto created = simulation_.start(create(*other_, "/a"));
  EXPECT_EQ(run(), "timer");
  EXPECT_EQ(error_of(created.result()), std::nullopt);
  EXPECT_EQ(run(), "");
}

TEST_F(ExceptionTest, ListenerThatThrowsDoesNotStopTheOthers) {
  std::vector<SessionState> heard;
  {
    const support::ThrowingListener told_last(*session_);
    const support::StateRecorder recorder(*session_);
    const support::ThrowingListener told_first(*session_);
    const auto lost = simulation_.start(create(*session_, "/b"));
    simulation_.cut(*session_);
    EXPECT_EQ(run(), "listener: suspended");
    heard = recorder.states();
    EXPECT_EQ(error_of(lost.result()), Error::kConnectionLoss);
  }
  EXPECT_EQ(heard, std::vector<SessionState>{SessionState::kSuspended});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(session_->state(), SessionState::kConnected);
}

TEST_F(ExceptionTest, BackgroundTaskThatThrowsIsThrownByTheRun) {
  session_->in_background(throw_after_reading(*session_, "/"));
  const auto created = simulation_.start(create(*session_, "/a"));
  EXPECT_EQ(run(), "read");
  EXPECT_EQ(run(), "");
  EXPECT_EQ(error_of(created.result()), std::nullopt);
  EXPECT_TRUE(session_->background().empty());
}

// Even if the session ends in the same step.
TEST_F(ExceptionTest, ExceptionInTheBackgroundOfAnEndedSessionIsThrown) {
  std::shared_ptr<FakeSession> session = simulation_.open("C");
  const auto throw_at_once = []() -> Task<void> {
    throw std::runtime_error("gone");
    co_return;
  };
  session->in_background(throw_at_once());
  session.reset();
  EXPECT_EQ(run(), "gone");
}

// A client in a searched execution whose background task throws.
class BadBackground final : public search::Program {
 public:
  void start(fakezk::World& world, search::Verdict&) override {
    client_ = std::make_unique<fake::FakeClient>(world.add_process(), "A");
    const std::shared_ptr<Session> session = client_->current();
    world.begin_trace();
    session->in_background(throw_after_reading(*session, "/"));
  }
  void finish(fakezk::World&) override {}
  void clear() override { client_.reset(); }
  [[nodiscard]] std::string process_name(std::uint32_t) const override { return "A"; }

 private:
  std::unique_ptr<fake::FakeClient> client_;
};

TEST(ExceptionInAHuntTest, IsACrashWithItsStep) {
  fakezk::World world;
  BadBackground program;
  fakezk::Calm calm;
  const search::Outcome outcome = search::execute(world, program, calm, search::ExecutionLimits());
  ASSERT_TRUE(outcome.violation);
  EXPECT_EQ(outcome.violation->oracle, "crash");
  EXPECT_EQ(outcome.violation->message, "an exception escaped: read");
  EXPECT_EQ(outcome.violation->step, outcome.steps);
  EXPECT_GT(outcome.steps, 2U);
}

// what() is user code too.
class Speechless final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};
Task<void> throw_speechless(lab::Contender&, Path, std::uint32_t) {
  throw Speechless();
  co_return;
}

TEST(ExceptionInAHuntTest, MayHaveNoText) {
  lab::LockUnderTest lock("speechless", &throw_speechless);
  const lab::HuntReport in_a_task = lab::hunt_lock(lock);
  ASSERT_FALSE(in_a_task.passed());
  EXPECT_EQ(in_a_task.failure->violation.oracle, "crash");
  EXPECT_EQ(in_a_task.failure->violation.message,
            "an exception escaped: its what() is a null pointer");
  lock.contend = &lab::contend_for<FairMutex>;
  lock.check_at_end = [](const fakezk::World&, search::Verdict&) { throw Speechless(); };
  EXPECT_EQ(lab::hunt_lock(lock).failure->violation.message, in_a_task.failure->violation.message);
}

}  // namespace
}  // namespace lockstep
