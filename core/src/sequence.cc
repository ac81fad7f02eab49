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

constexpr std::int64_t kMostSequential = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

// The value of eight digits, all of them at a time; kNoNumber if one of the bytes is no digit.
inline std::int64_t eight_digits(const char* text) {
  std::uint64_t digits = internal::eight_bytes(text) ^ internal::eight_times('0');
  const std::uint64_t more_than_nine = (digits + internal::eight_times(0x80 - 10)) | digits;
  if ((more_than_nine & internal::eight_times(0x80)) != 0) return kNoNumber;
  digits = (10 * digits + (digits >> 8)) & 0x00ff00ff00ff00ff;    // Four numbers of two digits.
  digits = (100 * digits + (digits >> 16)) & 0x0000ffff0000ffff;  // Two of four.
  digits = (10'000 * digits + (digits >> 32)) & 0x00000000ffffffff;
  return static_cast<std::int64_t>(digits);
}

// What nearly every contender's name is like: a mark of four to eight bytes, as all of ours are,
// then ten digits. Lists are long. kNoNumber for every other name.
inline std::int64_t ten_digits(std::string_view name, std::string_view mark) {
  if (mark.size() < 4 || mark.size() > 8 || is_digit(mark.back())) return kNoNumber;
  if (name.size() < mark.size() + kMostDigits) return kNoNumber;
  const char* const digits = name.data() + (name.size() - kMostDigits);
  const std::uint32_t first = internal::four_bytes(mark.data());
  const std::uint32_t last = internal::four_bytes(mark.data() + mark.size() - 4);
  if (internal::four_bytes(digits - mark.size()) != first) return kNoNumber;
  if (internal::four_bytes(digits - 4) != last) return kNoNumber;
  if (!is_digit(digits[8]) || !is_digit(digits[9])) return kNoNumber;
  const std::int64_t eight = eight_digits(digits);
  if (eight == kNoNumber) return kNoNumber;
  return 10 * (10 * eight + (digits[8] - '0')) + (digits[9] - '0');
}

// The number of any other name.
[[gnu::cold, gnu::noinline]] std::int64_t unusual_number(std::string_view name,
                                                         std::string_view mark) {
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  if (at == name.size() || name.size() - at > kMostDigits) return kNoNumber;
  std::int64_t value = 0;
  for (const char digit : name.substr(at)) value = 10 * value + (digit - '0');
  const std::string_view head = name.substr(0, at);
  if (head.ends_with(mark)) return value;
  if (!head.ends_with('-') || !head.substr(0, at - 1).ends_with(mark)) return kNoNumber;
  return -value;
}

// The number of any name; kNoNumber also for what is too large for one.
inline std::int64_t number_in(std::string_view name, std::string_view mark) {
  std::int64_t number = ten_digits(name, mark);
  if (number == kNoNumber) [[unlikely]] {
    number = unusual_number(name, mark);
  }
  return number == static_cast<std::int32_t>(number) ? number : kNoNumber;
}

// A contender, or kNoNumber.
struct Candidate {
  [[nodiscard]] bool contends() const { return number != kNoNumber; }
  [[nodiscard]] Contender contender() const { return {static_cast<std::int32_t>(number), share}; }

  std::int64_t number;
  Share share;
};

[[gnu::noinline]] Candidate candidate_of_any_mark(std::string_view name, Marks marks) {
  for (const Mark& mark : marks) {
    const std::int64_t number = number_in(name, mark.text);
    if (number != kNoNumber) return {number, mark.share};
  }
  return {kNoNumber, Share::kShared};
}

Candidate candidate(std::string_view name, Marks marks) {
  if (!marks.empty()) {
    const Mark& first = marks.front();
    const std::int64_t number = ten_digits(name, first.text);
    if (number >= 0 && number <= kMostSequential) return {number, first.share};
  }
  return candidate_of_any_mark(name, marks);
}

}  // namespace

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  const std::int64_t number = number_in(name, mark);
  if (number == kNoNumber) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

std::optional<Contender> contender(std::string_view name, Marks marks) {
  const Candidate found = candidate(name, marks);
  if (!found.contends()) return std::nullopt;
  return found.contender();
}

Result<Position> position_of(std::string_view ours, Marks marks, const Children& queue,
                             std::string_view own) {
  Result<Position> result;  // Made where the caller wants to have it.
  Position& position = *result;
  const Candidate us = candidate(ours, marks);
  if (!us.contends()) {
    result = failure(Error::kBadArguments);
    return result;
  }
  std::int32_t nearest = 0;
  bool found = false;
  for (const std::string_view name : queue) {
    if (same(name, ours)) {
      found = true;
      continue;
    }
    const Candidate other = candidate(name, marks);
    if (!other.contends()) {
      position.foreign = name;
      continue;
    }
    const Contender contender = other.contender();
    if (!blocks(contender, us.contender()) || name == own) continue;
    if (position.ahead == 0 || precedes(nearest, contender.number)) {
      nearest = contender.number;
      position.predecessor = name;
    }
    ++position.ahead;
    if (contender.share == Share::kExclusive) ++position.exclusive_ahead;
  }
  if (!found) result = failure(Error::kNoNode);
  return result;
}

Result<Position> position_of(std::string_view ours, std::string_view mark, const Children& queue) {
  const Mark exclusive{mark, Share::kExclusive};
  return position_of(ours, Marks(&exclusive, 1), queue);
}

}  // namespace lockstep
