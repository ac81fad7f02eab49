#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace lockstep::lab {

// Notices code under a hunt that leaves simulated time. Code that does not come back for ten
// seconds of real time: says why that may be, and aborts. Code that sleeps or waits for real, again
// and again, half of two seconds or more: says so, once per process. A thread of its own, because
// the one that it watches is stuck; started by the first visit.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Around each piece of such code, on the thread that runs it. Visits nest; the outermost counts.
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
  // What the last looks have seen.
  class Looks {
   public:
    std::uint64_t visit = 0;  // The last one.
    int same_visit = 0;
    int all = 0;
    int asleep = 0;
  };

  void began();
  void ended();
  void count_visit();
  void watch();
  void look(Looks& looks) const;

  int depth_ = 0;                          // Of the visits; the watched thread's.
  std::atomic<std::uint64_t> visits_ = 0;  // Odd while somebody is inside.
  std::atomic<int> thread_id_ = 0;         // Linux's, of whoever is inside.
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace lockstep::lab
