#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// One direction of a connection. One of its transfers takes only some of the bytes, as TCP allows;
// whether, and which one, is a choice. The rest passes a little later, perhaps also in pieces: the
// first call that asks for it finds nothing. No time passes, so code that asks again at once does
// not ask forever.
class Pieces {
 public:
  // Allows that transfer to take only a part; counts the draws from now on, 0 is the next one.
  void allow(std::uint32_t transfer) { until_allowed_ = transfer; }
  // Returns how many of that many bytes a transfer takes, at least one; all of them by default.
  std::size_t draw(Execution& execution, std::string_view call, std::size_t bytes);
  // Whether the rest of a transfer is in flight, and no call has asked for it.
  [[nodiscard]] bool has_late_rest() const { return rest_ == Rest::kUnderWay; }
  // Returns the same, and lets the rest pass.
  [[nodiscard]] bool asked_too_early();
  // When the rest passes.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const;

 private:
  enum class Rest : std::uint8_t { kNone, kUnderWay, kPassed };

  std::optional<std::uint32_t> until_allowed_;
  Rest rest_ = Rest::kNone;
};

}  // namespace lockstep::intercept
