#include "lockstep/sequence.h"

#include <charconv>

namespace lockstep {

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(at + mark.size());
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Result<Position> position_of(std::string_view ours, std::string_view mark, const Children& queue) {
  const std::optional<std::int32_t> our_number = sequence_number(ours, mark);
  if (!our_number) return failure(Error::kBadArguments);

  Position position;
  std::int32_t nearest = 0;
  bool found = false;
  for (const std::string_view name : queue) {
    const std::optional<std::int32_t> number = sequence_number(name, mark);
    if (!number) continue;
    if (name == ours) found = true;
    if (!precedes(*number, *our_number)) continue;
    if (position.ahead == 0 || precedes(nearest, *number)) {
      nearest = *number;
      position.predecessor = name;
    }
    ++position.ahead;
  }
  if (!found) return failure(Error::kNoNode);
  return position;
}

}  // namespace lockstep
