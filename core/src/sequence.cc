#include "lockstep/sequence.h"

#include <limits>

#include "lockstep/internal/bytes.h"

namespace lockstep {

namespace {

constexpr std::size_t kMostDigits = 10;

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// The last byte tells most names of a queue apart.
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && a.back() == b.back() && a == b;
}

// The value of eight digits, all of them at a time; none if one of the bytes is no digit.
std::optional<std::int64_t> eight_digits(const char* text) {
  std::uint64_t digits = internal::eight_bytes(text) ^ internal::eight_times('0');
  const std::uint64_t more_than_nine = (digits + internal::eight_times(0x80 - 10)) | digits;
  if ((more_than_nine & internal::eight_times(0x80)) != 0) return std::nullopt;
  digits = (10 * digits + (digits >> 8)) & 0x00ff00ff00ff00ff;    // Four numbers of two digits.
  digits = (100 * digits + (digits >> 16)) & 0x0000ffff0000ffff;  // Two of four.
  digits = (10'000 * digits + (digits >> 32)) & 0x00000000ffffffff;
  return static_cast<std::int64_t>(digits);
}

// `head.ends_with(mark)`; for marks of four to eight bytes, as all of ours are, without a call.
bool ends_with(std::string_view head, std::string_view mark) {
  if (mark.size() < 4 || mark.size() > 8 || head.size() < mark.size()) return head.ends_with(mark);
  const char* const end = head.data() + head.size();
  return internal::four_bytes(end - mark.size()) == internal::four_bytes(mark.data()) &&
         internal::four_bytes(end - 4) == internal::four_bytes(mark.data() + mark.size() - 4);
}

// What nearly every contender's name is like: the mark, then ten digits. Lists are long.
std::optional<std::int64_t> ten_digits(std::string_view name, std::string_view mark) {
  if (mark.empty() || is_digit(mark.back())) return std::nullopt;
  if (name.size() < mark.size() + kMostDigits) return std::nullopt;
  const std::string_view head = name.substr(0, name.size() - kMostDigits);
  const char* const digits = name.data() + head.size();
  if (!is_digit(digits[8]) || !is_digit(digits[9]) || !ends_with(head, mark)) return std::nullopt;
  const std::optional<std::int64_t> first = eight_digits(digits);
  if (!first) return std::nullopt;
  return 10 * (10 * *first + (digits[8] - '0')) + (digits[9] - '0');
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
  if (!head.ends_with(mark)) {
    if (!head.ends_with('-') || !head.substr(0, at - 1).ends_with(mark)) return std::nullopt;
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
