#include "lockstep/sequence.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

constexpr std::size_t kMostDigits = 10;

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// Without a call: what is compared is short, and lists are long.
bool ends_with(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  const char* const tail = text.data() + (text.size() - end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (tail[i] != end[i]) return false;
  }
  return true;
}

// The last byte tells most names of a queue apart.
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && a.back() == b.back() && a == b;
}

// What nearly every contender's name is like: the mark, then ten digits. Lists are long.
std::optional<std::int64_t> ten_digits(std::string_view name, std::string_view mark) {
  if (mark.empty() || is_digit(mark.back())) return std::nullopt;
  if (name.size() < mark.size() + kMostDigits) return std::nullopt;
  const std::string_view head = name.substr(0, name.size() - kMostDigits);
  if (!ends_with(head, mark)) return std::nullopt;
  const char* const digits = name.data() + head.size();
  std::int64_t value = 0;
  unsigned greatest = 0;
  for (std::size_t i = 0; i < kMostDigits; ++i) {
    const unsigned digit = static_cast<unsigned char>(digits[i]) - static_cast<unsigned>('0');
    greatest = std::max(greatest, digit);
    value = 10 * value + digit;
  }
  if (greatest > 9) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  if (const std::optional<std::int64_t> value = ten_digits(name, mark)) {
    if (*value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::int32_t>(*value);
  }
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  if (at == name.size() || name.size() - at > kMostDigits) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : name.substr(at)) value = 10 * value + (digit - '0');
  const std::string_view head = name.substr(0, at);
  if (!ends_with(head, mark)) {
    if (!head.ends_with('-') || !ends_with(head.substr(0, at - 1), mark)) return std::nullopt;
    value = -value;
  }
  const auto number = static_cast<std::int32_t>(value);
  if (number != value) return std::nullopt;
  return number;
}

std::optional<Contender> contender(std::string_view name, Marks marks) {
  for (const Mark& mark : marks) {
    if (const auto number = sequence_number(name, mark.text)) return Contender{*number, mark.share};
  }
  return std::nullopt;
}

Result<Position> position_of(std::string_view ours, Marks marks, const Children& queue,
                             std::string_view own) {
  const std::optional<Contender> us = contender(ours, marks);
  if (!us) return failure(Error::kBadArguments);

  Position position;
  std::int32_t nearest = 0;
  bool found = false;
  for (const std::string_view name : queue) {
    if (same(name, ours)) {
      found = true;
      continue;
    }
    const std::optional<Contender> other = contender(name, marks);
    if (!other) {
      position.foreign = name;
      continue;
    }
    if (!blocks(*other, *us) || name == own) continue;
    if (position.ahead == 0 || precedes(nearest, other->number)) {
      nearest = other->number;
      position.predecessor = name;
    }
    ++position.ahead;
    if (other->share == Share::kExclusive) ++position.exclusive_ahead;
  }
  if (!found) return failure(Error::kNoNode);
  return position;
}

Result<Position> position_of(std::string_view ours, std::string_view mark, const Children& queue) {
  const Mark exclusive{mark, Share::kExclusive};
  return position_of(ours, Marks(&exclusive, 1), queue);
}

}  // namespace lockstep
