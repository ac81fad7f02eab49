#include "small_world.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::intercept {

namespace {

// As calls of the real thread may do between two turns. Never inlined: the address of errno is not
// the same in each turn.
[[gnu::noinline]] void overwrite_errno() { errno = ERANGE; }

}  // namespace

void SmallWorld::run_processes(const std::vector<std::function<void()>>& bodies) {
  Execution execution(*this);
  for (const std::function<void()>& body : bodies) {
    execution.start([&]() -> void* {
      body();
      return nullptr;
    });
  }
  while (let_one_go_on() || fire_timer()) {
  }
  for (const auto& thread : execution.threads()) {
    if (!thread->ended()) stuck_.emplace_back(thread->call());
  }
}

bool SmallWorld::let_one_go_on() {
  if (ready_.empty()) return false;
  const auto chosen = ready_.begin() + static_cast<std::ptrdiff_t>(order_.next() % ready_.size());
  Thread* const thread = *chosen;
  ready_.erase(chosen);
  ++turns_;
  thread->go_on();
  overwrite_errno();
  return true;
}

bool SmallWorld::fire_timer() {
  const auto first = std::ranges::min_element(alarms_, {}, &Alarm::due);
  if (first == alarms_.end()) return false;
  const Alarm alarm = *first;
  alarms_.erase(first);
  now_ = std::max(now_, alarm.due);
  alarm.thread->timed_out();
  return true;
}

void SmallWorld::start_timer(Thread& thread, std::chrono::nanoseconds due) {
  alarms_.push_back({due, &thread});
}

void SmallWorld::stop_timer(Thread& thread) {
  std::erase_if(alarms_, [&](const Alarm& alarm) { return alarm.thread == &thread; });
}

namespace {

void expect_all_ended(const SmallWorld& world, std::uint64_t seed) {
  ASSERT_TRUE(world.stuck().empty()) << "seed " << seed << ": " << world.stuck().front();
  ASSERT_TRUE(world.misuses().empty()) << "seed " << seed << ": " << world.misuses().front();
}

}  // namespace

void run_in_orders(const std::function<void()>& body, std::uint64_t orders) {
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    SmallWorld world(seed);
    world.run(body);
    ASSERT_NO_FATAL_FAILURE(expect_all_ended(world, seed));
  }
}

void run_processes_in_orders(const std::vector<std::function<void()>>& bodies) {
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    SmallWorld world(seed);
    world.run_processes(bodies);
    ASSERT_NO_FATAL_FAILURE(expect_all_ended(world, seed));
  }
}

}  // namespace lockstep::intercept
