#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// One direction of a connection. One of its transfers may take only some of the bytes, as TCP
// allows; whether, and which one, is a choice. The first call that asks for the rest finds nothing;
// later ones find it, perhaps in pieces again. No virtual time passes in between, so code that asks
// in a loop without waiting makes progress.
class Pieces {
 public:
  // Allows that transfer to be partial. Transfers count from the next draw(), which is 0.
  void allow(std::uint32_t transfer) { until_allowed_ = transfer; }
  // Returns how many of the `bytes` a transfer takes: at least one, and all of them by default.
  std::size_t draw(Execution& execution, std::string_view call, std::size_t bytes);
  // Whether the rest of a transfer is in flight, and no call has asked for it yet.
  [[nodiscard]] bool has_late_rest() const { return rest_ == Rest::kUnderWay; }
  // Like has_late_rest(); from now on, the rest can be transferred.
  [[nodiscard]] bool refuse_first_ask();
  // Returns the time at which the rest can be transferred, which is now; none if there is no rest.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const;

 private:
  enum class Rest : std::uint8_t { kNone, kUnderWay, kPassed };

  std::optional<std::uint32_t> until_allowed_;
  Rest rest_ = Rest::kNone;
};

}  // namespace lockstep::intercept
