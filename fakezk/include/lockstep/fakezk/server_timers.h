#pragma once

#include <cstddef>
#include <vector>

#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// What the servers wait for, apart: of what is due at one instant anything may come first. Only
// sessions never race with each other: those that expire at one instant expire together.
struct ServerTimers {
  explicit ServerTimers(std::size_t replicas) : rejoins(replicas) {}

  internal::TimerQueue expiries;              // Of sessions that are silent.
  std::vector<internal::TimerQueue> rejoins;  // By replica: when it looks for its leader again.
  internal::TimerQueue container_checks;      // For containers and znodes whose time has come.

  // In the calm order.
  template <class Look>
  void each(Look look) {
    look(expiries);
    for (internal::TimerQueue& rejoin : rejoins) look(rejoin);
    look(container_checks);
  }
  [[nodiscard]] bool empty() const {
    for (const internal::TimerQueue& rejoin : rejoins) {
      if (!rejoin.empty()) return false;
    }
    return expiries.empty() && container_checks.empty();
  }
  void clear() {
    each([](internal::TimerQueue& queue) { queue.clear(); });
  }
};

}  // namespace lockstep::fakezk
