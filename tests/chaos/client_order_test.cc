// Hand-written uses of a lock, as the judge of a chaos run sees them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chaos/judge.h"

namespace lockstep::chaos {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

class ClientOrderTest : public ::testing::Test {
 protected:
  Event& add(Kind kind, std::int64_t at_ms, int process) {
    Event& event = events_.emplace_back();
    event.kind = kind;
    event.at = at_ms * kMillisecond;
    event.process = process;
    event.lock = lock_;
    event.token = process + 1;  // A later process has a later grant.
    return event;
  }
  void use(std::int64_t from_ms, std::int64_t to_ms, int process) {
    add(Kind::kEntered, from_ms, process);
    add(Kind::kLeft, to_ms, process);
  }
  void stall(std::int64_t from_ms, std::int64_t to_ms, int process) {
    add(Kind::kStalled, to_ms, process).detail = (to_ms - from_ms) * kMillisecond;
  }
  // Returns the number of violations.
  std::size_t judge() {
    std::vector<Violation> violations;
    judge_client_order(events_, violations, judged_);
    return violations.size();
  }

  std::string lock_ = "/chaos/mutex";
  std::vector<Event> events_;
  Judged judged_;
};

TEST_F(ClientOrderTest, TwoUsesOfAMutexDoNotOverlap) {
  use(1000, 2000, 0);
  use(2000, 3000, 1);
  EXPECT_EQ(judge(), 0U);
  use(2500, 2600, 2);
  EXPECT_EQ(judge(), 1U);
}

TEST_F(ClientOrderTest, AHolderThatDidNotRunIsExcused) {
  use(1000, 2000, 0);
  stall(1100, 1990, 0);
  use(1500, 1600, 1);
  EXPECT_EQ(judge(), 0U);
  EXPECT_EQ(judged_.excused, 1U);
}

TEST_F(ClientOrderTest, AnotherHolderThatDidNotRunExcusesNothing) {
  use(1000, 2000, 0);
  stall(1100, 1990, 1);
  use(1500, 1600, 1);
  EXPECT_EQ(judge(), 1U);
}

TEST_F(ClientOrderTest, ASemaphoreHasRoomForItsLeases) {
  lock_ = "/chaos/semaphore";
  use(1000, 2000, 0);
  use(1000, 2000, 1);
  EXPECT_EQ(judge(), 0U);
  use(1500, 1600, 2);
  EXPECT_EQ(judge(), 1U);
}

// The new holder has replaced one of the holders, no matter which.
TEST_F(ClientOrderTest, OneHolderThatDidNotRunIsEnoughForALease) {
  lock_ = "/chaos/semaphore";
  use(1000, 2000, 0);
  use(1000, 2000, 1);
  stall(1100, 1990, 1);
  use(1500, 1600, 2);
  EXPECT_EQ(judge(), 0U);
  EXPECT_EQ(judged_.excused, 1U);
  use(1550, 1700, 3);
  EXPECT_EQ(judge(), 1U);
}

}  // namespace
}  // namespace lockstep::chaos
