#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace lockstep::lab {

// Notices code under a hunt that leaves simulated time. If code does not return for ten seconds of
// real time, the watchdog explains the likely reason and aborts; a report of AddressSanitizer has
// two minutes. If code sleeps or waits in real time for half of two seconds or more, it warns once
// per process. It has a separate thread, started by the first visit, because the watched thread is
// stuck. It does not watch trials in child processes (in_child), which have alarms.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Guards one piece of such code, on its thread. Visits nest; the outermost counts.
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
    std::uint64_t visit = 0;  // The last visit.
    int same_visit = 0;
    int all = 0;
    int asleep = 0;
  };

  void began();
  void ended();
  void count_visit();
  void watch();
  void look(Looks& looks) const;

  int depth_ = 0;  // The depth of nested visits; used by the watched thread.
  std::atomic<std::uint64_t> visits_ = 0;  // Odd during a visit.
  std::atomic<int> thread_id_ = 0;         // The visiting thread's number in Linux.
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace lockstep::lab
