#include "forks.h"

#include <pthread.h>

#include <atomic>

namespace lockstep::zookeeper {

namespace {

constinit std::atomic<unsigned> count = 0;

void in_child() { count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

unsigned forks() noexcept {
  static const bool counting = pthread_atfork(nullptr, nullptr, &in_child) == 0;
  static_cast<void>(counting);
  return count.load(std::memory_order_relaxed);
}

}  // namespace lockstep::zookeeper
