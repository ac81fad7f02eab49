#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// The kinds of timers.
enum class TimerKind : std::uint8_t {
  kProcess,         // A process continues. (process)
  kExpiry,          // Sessions expire that were silent for too long.
  kRejoin,          // A replica without a leader searches for it again. (replica)
  kContainerCheck,  // The leader checks for containers and expired znodes.
};

// The timers of the servers, by kind: timers due at the same instant fire in any order. Only
// sessions never race with each other: those that expire at one instant expire together.
struct ServerTimers {
  explicit ServerTimers(std::size_t replicas) : rejoins(replicas) {}

  internal::TimerQueue expiries;
  std::vector<internal::TimerQueue> rejoins;  // By replica.
  internal::TimerQueue container_checks;

  // In the order of the default schedule.
  template <class Look>
  void each(Look look) {
    look(expiries, TimerKind::kExpiry, 0);
    for (std::uint32_t i = 0; i < rejoins.size(); ++i) look(rejoins[i], TimerKind::kRejoin, i);
    look(container_checks, TimerKind::kContainerCheck, 0);
  }
  [[nodiscard]] bool empty() const {
    for (const internal::TimerQueue& rejoin : rejoins) {
      if (!rejoin.empty()) return false;
    }
    return expiries.empty() && container_checks.empty();
  }
  void clear() {
    each([](internal::TimerQueue& queue, TimerKind, std::uint32_t) { queue.clear(); });
  }
};

}  // namespace lockstep::fakezk
