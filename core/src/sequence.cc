#include "lockstep/sequence.h"

#include <charconv>

namespace lockstep {

namespace {

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

}  // namespace

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  if (digits == 0) return std::nullopt;
  const bool negative = name.substr(0, name.size() - digits).ends_with("--");
  const std::size_t length = negative ? digits + 1 : digits;
  if (!name.substr(0, name.size() - length).ends_with(mark)) return std::nullopt;

  const char* const end = name.data() + name.size();
  std::int32_t number = 0;
  if (std::from_chars(end - length, end, number).ec != std::errc()) return std::nullopt;
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
