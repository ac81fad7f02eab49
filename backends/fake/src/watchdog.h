#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace lockstep::fake {

// Notices code that does not come back: after ten seconds of real time it says why that may be, and
// aborts. A thread of its own, because the one that it watches is stuck; started by the first
// visit.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Around each piece of such code. Visits do not nest.
  class Visit {
   public:
    explicit Visit(Watchdog& watchdog) : watchdog_(watchdog) { watchdog_.began(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() { watchdog_.ended(); }

   private:
    Watchdog& watchdog_;
  };

 private:
  void began();
  void ended() { visits_.fetch_add(1, std::memory_order_relaxed); }
  void watch();

  std::atomic<std::uint64_t> visits_ = 0;  // Odd while somebody is inside.
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace lockstep::fake
