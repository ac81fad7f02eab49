#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/fakezk/processes.h"
#include "lockstep/fakezk/server_timers.h"

namespace lockstep::fakezk {

// A timer that may fire next, by its queue.
struct NextTimer {
  internal::TimerQueue* queue;
  TimerKind kind;
  std::uint32_t index;  // TimerKind says of what.
};

// Hears that nothing can happen any more until time passes.
class RestWatcher {
 public:
  // The clock is about to move on to `until`.
  virtual void at_rest(TimePoint until) = 0;

 protected:
  ~RestWatcher() = default;
};

// Finds the timers that are next, among those of the servers and of the processes. The timers of
// stalled processes wait.
class WorldClock {
 public:
  WorldClock(ServerTimers& servers, const Processes& processes)
      : servers_(servers), processes_(processes) {}

  // When the next timers are due, in world time; none if there are none.
  std::optional<TimePoint> find_next();
  // As found last, in the order of the default schedule: the earliest timer of each queue whose
  // earliest timer is due first. (Real clocks never agree so well that one surely comes first.)
  [[nodiscard]] const std::vector<NextTimer>& next() const { return next_; }
  [[nodiscard]] bool a_timer_runs() const;
  // The same as find_next() returns.
  [[nodiscard]] std::optional<TimePoint> earliest() const;
  // Whether something waits for time to pass; background timers do not count.
  [[nodiscard]] bool is_waited_for() const;
  // When the servers' timers are due.
  [[nodiscard]] std::uint64_t server_hash() const;

 private:
  // Calls visit(due, timer) for the earliest timer of each queue that has one.
  template <class Visit>
  void each_earliest(Visit visit) const;

  ServerTimers& servers_;
  const Processes& processes_;
  std::vector<NextTimer> next_;
};

}  // namespace lockstep::fakezk
