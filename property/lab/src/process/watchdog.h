#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace lockstep::lab {

// Notices code under a hunt that leaves simulated time. If code does not return for ten seconds of
// real time, the watchdog explains the likely reason and aborts. If code sleeps or waits in real
// time for half of two seconds or more, it warns once per process. It has its own thread, started
// by the first visit, because the watched thread is stuck. A trial in a child process (in_child) is
// bounded otherwise, and not watched.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Guards each piece of such code, on its thread. Visits nest; the outermost counts.
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
  // The observations of the last looks.
  class Looks {
   public:
    std::uint64_t visit = 0;  // the last one
    int same_visit = 0;
    int all = 0;
    int asleep = 0;
  };

  void began();
  void ended();
  void count_visit();
  void watch();
  void look(Looks& looks) const;

  int depth_ = 0;                          // of nested visits; used by the watched thread
  std::atomic<std::uint64_t> visits_ = 0;  // odd during a visit
  std::atomic<int> thread_id_ = 0;         // Linux's number of the visiting thread
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace lockstep::lab
