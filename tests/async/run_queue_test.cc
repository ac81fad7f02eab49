#include "lockstep/internal/run_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep::internal {
namespace {

class NamedWork final : public Runnable {
 public:
  explicit NamedWork(int number) : number_(number) {}
  void run() override {}
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

class RunQueueTest : public ::testing::Test {
 protected:
  RunQueueTest() {
    for (int i = 0; i < 16; ++i) work_.emplace_back(i);
  }
  void push(std::vector<int> numbers) {
    for (const int number : numbers) queue_.push(work(number));
  }
  NamedWork& work(int number) { return work_[static_cast<std::size_t>(number)]; }
  std::vector<int> pop_all() {
    std::vector<int> order;
    while (Runnable* const next = queue_.pop()) {
      EXPECT_FALSE(next->queued);
      order.push_back(static_cast<NamedWork*>(next)->number());
    }
    return order;
  }

  std::deque<NamedWork> work_;
  RunQueue queue_;
};

TEST_F(RunQueueTest, IsFirstInFirstOut) {
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.pop(), nullptr);
  push({2, 0, 1});
  EXPECT_FALSE(queue_.empty());
  EXPECT_TRUE(work(0).queued);
  EXPECT_EQ(pop_all(), (std::vector<int>{2, 0, 1}));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(RunQueueTest, ErasesFromEitherEndAndFromTheMiddle) {
  for (const int victim : {0, 1, 2}) {
    push({0, 1, 2});
    queue_.erase(work(victim));
    EXPECT_FALSE(work(victim).queued);
    std::vector<int> expected = {0, 1, 2};
    std::erase(expected, victim);
    EXPECT_EQ(pop_all(), expected);
  }
  push({5});
  queue_.erase(work(5));
  EXPECT_TRUE(queue_.empty());
  push({6, 7});
  EXPECT_EQ(pop_all(), (std::vector<int>{6, 7}));
}

TEST_F(RunQueueTest, ErasingWhatIsNotQueuedDoesNothing) {
  push({1, 2});
  queue_.erase(work(3));
  queue_.erase(*queue_.pop());
  EXPECT_EQ(pop_all(), std::vector<int>{2});
}

TEST_F(RunQueueTest, BehavesLikeADeque) {
  fakezk::RandomStream random(20260102);
  std::deque<int> model;
  for (int round = 0; round < 20'000; ++round) {
    const int number = static_cast<int>(random.below(16));
    const bool queued = work(number).queued;
    ASSERT_EQ(queued, std::ranges::find(model, number) != model.end());
    const std::uint32_t action = random.below(3);
    if (!queued) {
      queue_.push(work(number));
      model.push_back(number);
    } else if (action == 0) {
      ASSERT_EQ(static_cast<NamedWork*>(queue_.pop())->number(), model.front());
      model.pop_front();
    } else if (action == 1) {
      queue_.erase(work(number));
      std::erase(model, number);
    }
    ASSERT_EQ(queue_.empty(), model.empty());
  }
}

}  // namespace
}  // namespace lockstep::internal
