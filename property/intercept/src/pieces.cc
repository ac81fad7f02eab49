#include "pieces.h"

#include <array>
#include <string>

namespace lockstep::intercept {

std::size_t Pieces::draw(Execution& execution, std::string_view call, std::size_t bytes) {
  rest_ = Rest::kNone;
  if (!until_allowed_ || bytes < 2) return bytes;
  if (*until_allowed_ > 0) return --*until_allowed_, bytes;
  const std::array<std::size_t, 4> sizes = {bytes, 1, bytes - 1, bytes / 2};
  const std::uint32_t options = bytes == 2 ? 2 : 4;
  const std::size_t taken = sizes[execution.host().draw(options)];
  if (taken == bytes) return until_allowed_.reset(), bytes;
  rest_ = Rest::kUnderWay;
  std::string text(call);
  text += " takes " + std::to_string(taken) + " of " + std::to_string(bytes) + " bytes";
  execution.host().noted(*execution.running(), text);
  return taken;
}

bool Pieces::refuse_first_ask() {
  if (rest_ != Rest::kUnderWay) return false;
  rest_ = Rest::kPassed;
  return true;
}

std::optional<std::chrono::nanoseconds> Pieces::due() const {
  if (rest_ == Rest::kNone) return std::nullopt;
  return Execution::current()->host().now();
}

}  // namespace lockstep::intercept
