#include "lockstep/sequence.h"

#include <limits>

#include "lockstep/internal/bytes.h"

namespace lockstep {

namespace {

constexpr std::size_t kMostDigits = 10;

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

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

// A mark of four to eight bytes, as all of ours are, and what nearly every contender's name has
// behind it: ten digits, of which the first two are zeros. Lists are long.
class UsualMark {
 public:
  explicit UsualMark(std::string_view mark) : size_(mark.size()) {
    const bool usual = mark.size() >= 4 && mark.size() <= 8 && !is_digit(mark.back());
    if (!usual) return;
    least_ = mark.size() + kMostDigits;
    first_ = internal::four_bytes(mark.data());
    last_ = internal::four_bytes(mark.data() + mark.size() - 4);
  }
  // The number of such a name; kNoNumber for every other one.
  [[nodiscard]] std::int64_t number_in(std::string_view name) const {
    if (name.size() < least_) return kNoNumber;
    const char* const digits = name.data() + (name.size() - kMostDigits);
    if (internal::four_bytes(digits - size_) != first_) return kNoNumber;
    if (internal::four_bytes(digits - 4) != last_) return kNoNumber;
    if (digits[0] != '0' || digits[1] != '0') return kNoNumber;
    return eight_digits(digits + 2);
  }

 private:
  std::size_t size_;
  std::size_t least_ =
      std::string_view::npos;  // Of a name. No name is so long: it is no such mark.
  std::uint32_t first_ = 0;    // The first four bytes.
  std::uint32_t last_ = 0;
};

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
  std::int64_t number = UsualMark(mark).number_in(name);
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

// Reads what the names of one queue say.
class Reader {
 public:
  explicit Reader(Marks marks)
      : marks_(marks),
        first_(marks.empty() ? std::string_view() : marks.front().text),
        share_(marks.empty() ? Share::kShared : marks.front().share) {}
  [[nodiscard]] Candidate candidate(std::string_view name) const {
    const std::int64_t number = first_.number_in(name);
    if (number != kNoNumber) [[likely]] {
      return {number, share_};
    }
    return candidate_of_any_mark(name, marks_);
  }

 private:
  Marks marks_;
  UsualMark first_;  // Of the first of them.
  Share share_;
};

}  // namespace

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  const std::int64_t number = number_in(name, mark);
  if (number == kNoNumber) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

std::optional<Contender> contender(std::string_view name, Marks marks) {
  const Candidate found = Reader(marks).candidate(name);
  if (!found.contends()) return std::nullopt;
  return found.contender();
}

Result<Position> position_of(std::string_view ours, Marks marks, const Children& queue,
                             std::string_view own) {
  Result<Position> result;  // Made where the caller wants to have it.
  Position& position = *result;
  const Reader reader(marks);
  const Candidate us = reader.candidate(ours);
  if (!us.contends()) {
    result = failure(Error::kBadArguments);
    return result;
  }
  std::int32_t nearest = 0;
  bool found = false;
  for (const std::string_view name : queue) {
    // The last byte tells most names of a queue apart.
    if (name.size() == ours.size() && name.back() == ours.back() && name == ours) {
      found = true;
      continue;
    }
    const Candidate other = reader.candidate(name);
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
