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

// The servers of a run, of one ensemble: real ones, or simulated ones behind sockets. Functions
// throw std::runtime_error if the servers do not do in time what they should.
class Servers {
 public:
  // A fault of servers that has begun.
  struct Fault {
    std::string what;
    std::chrono::milliseconds time{};  // None: it is over.
    std::function<void()> undo{};      // For one that lasts.
  };

  Servers() = default;
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;
  virtual ~Servers() = default;

  [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
  // Everything that has been committed below `root` until now.
  [[nodiscard]] virtual std::vector<Transaction> committed(const std::string& root) = 0;
  // Begins a fault, as the draws say, unless there are too many already.
  [[nodiscard]] virtual std::optional<Fault> disturb(Draw& draw) = 0;
  // Every fault has been undone: waits until all serve again.
  virtual void heal() = 0;
  // The ends of what the servers have logged, as text.
  [[nodiscard]] virtual std::string logs() const = 0;
};

// How long a fault lasts. A third of them outlive the session.
[[nodiscard]] inline std::chrono::milliseconds duration_of_fault(
    Draw& draw, std::chrono::milliseconds session_timeout) {
  using std::chrono::milliseconds;
  const std::uint64_t kind = draw.below(6);
  if (kind <= 1) return draw.between(milliseconds(20), milliseconds(400));
  if (kind <= 3) return draw.between(milliseconds(400), session_timeout);
  return draw.between(session_timeout, session_timeout * 9 / 5);
}

}  // namespace lockstep::chaos
