#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// What becomes of a timer that fires.
enum class TimerKind : std::uint8_t {
  kProcess,         // A process goes on. (process)
  kExpiry,          // The sessions of a tick expire that have been silent for too long.
  kRejoin,          // A replica without its leader looks for it again. (replica)
  kContainerCheck,  // The leader looks for containers and znodes whose time has come.
};

// What the servers wait for, apart: of what is due at one instant anything may come first. Only
// sessions never race with each other: those that expire at one instant expire together.
struct ServerTimers {
  explicit ServerTimers(std::size_t replicas) : rejoins(replicas) {}

  internal::TimerQueue expiries;
  std::vector<internal::TimerQueue> rejoins;  // By replica.
  internal::TimerQueue container_checks;

  // In the calm order.
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
