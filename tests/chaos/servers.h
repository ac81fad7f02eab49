#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chaos/draw.h"
#include "chaos/transaction_log.h"

namespace lockstep::chaos {

// The servers of a run, which form one ensemble: real ones, or simulated ones behind sockets. All
// functions throw std::runtime_error if the servers are not ready in time.
class Servers {
 public:
  // A fault of the servers that has begun.
  struct Fault {
    std::string what;
    std::chrono::milliseconds time{};  // Zero: it is over already.
    std::function<void()> undo{};      // Ends a lasting fault.
  };

  Servers() = default;
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;
  virtual ~Servers() = default;

  [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
  // All commits below `root` so far.
  [[nodiscard]] virtual std::vector<Transaction> committed(const std::string& root) = 0;
  // Begins a random fault, unless too many are active.
  [[nodiscard]] virtual std::optional<Fault> disturb(Draw& draw) = 0;
  // Waits until all servers serve again; every fault has been undone.
  virtual void heal() = 0;
  // The ends of the servers' logs as text.
  [[nodiscard]] virtual std::string logs() const = 0;
};

// The length of a fault. A third of the faults outlive the session.
[[nodiscard]] inline std::chrono::milliseconds duration_of_fault(
    Draw& draw, std::chrono::milliseconds session_timeout) {
  using std::chrono::milliseconds;
  const std::uint64_t kind = draw.below(6);
  if (kind <= 1) return draw.between(milliseconds(20), milliseconds(400));
  if (kind <= 3) return draw.between(milliseconds(400), session_timeout);
  return draw.between(session_timeout, session_timeout * 9 / 5);
}

}  // namespace lockstep::chaos
