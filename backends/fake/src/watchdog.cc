#include "watchdog.h"

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace lockstep::fake {

namespace {

constexpr std::chrono::seconds kPatience(10);

}  // namespace

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Watchdog::began() {
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
  visits_.fetch_add(1, std::memory_order_relaxed);
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  std::uint64_t seen = visits_.load(std::memory_order_relaxed);
  while (!ending_.wait_for(lock, kPatience, [this] { return end_; })) {
    const std::uint64_t now = visits_.load(std::memory_order_relaxed);
    const bool stuck = now == seen && now % 2 == 1;
    seen = now;
    if (!stuck) continue;
    std::cerr << "lockstep: code on a fiber has not come back for " << kPatience.count()
              << " s. It blocks for real (a std::mutex or a condition that another fiber would have"
                 " to free, a join, a sleep, input) or never ends. Fibers share one thread and wait"
                 " with lockstep/blocking only.\n";
    std::abort();
  }
}

}  // namespace lockstep::fake
