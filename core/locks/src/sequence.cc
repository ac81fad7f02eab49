#include "lockstep/sequence.h"

#include <utility>

namespace lockstep {

namespace {

constexpr std::size_t kLeastDigits = 10;  // The server pads with zeros; a minus sign counts.

}  // namespace

std::optional<std::int32_t> sequence_number(std::string_view name, std::string_view mark) {
  if (name.size() < kLeastDigits) return std::nullopt;
  std::string_view head = name.substr(0, name.size() - kLeastDigits);
  std::string_view digits = name.substr(head.size());
  bool negative = digits.front() == '-';
  if (negative) digits.remove_prefix(1);
  if (!head.ends_with(mark)) {
    if (negative || !head.ends_with('-')) return std::nullopt;
    negative = true;
    head.remove_suffix(1);
    if (!head.ends_with(mark)) return std::nullopt;
  }
  std::int64_t number = 0;
  for (const char byte : digits) {
    const unsigned digit = static_cast<unsigned char>(byte) - '0';  // Large for a non-digit.
    if (digit > 9) return std::nullopt;
    number = 10 * number + digit;
  }
  if (negative) number = -number;
  if (!std::in_range<std::int32_t>(number)) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

std::optional<Contender> contender(std::string_view name, Marks marks) {
  for (const Mark& mark : marks) {
    if (const std::optional<std::int32_t> number = sequence_number(name, mark.text)) {
      return Contender{*number, mark.share};
    }
  }
  return std::nullopt;
}

Result<Position> position_of(std::string_view ours, Marks marks, const Children& queue,
                             std::string_view own) {
  const std::optional<Contender> us = contender(ours, marks);
  if (!us) return failure(Error::kBadArguments);
  const std::optional<Contender> holds = contender(own, marks);
  Position position;
  std::int32_t nearest = 0;
  bool found = false;
  bool own_is_there = own.empty();
  for (const std::string_view name : queue) {
    if (name == ours) {
      found = true;
      continue;
    }
    if (!own.empty() && name == own) own_is_there = true;
    const std::optional<Contender> other = contender(name, marks);
    if (!other) {
      position.foreign = name;
      continue;
    }
    const bool same_holder = holds && other->number == holds->number;
    if (!blocks(*other, *us) || same_holder) continue;
    if (position.ahead == 0 || precedes(nearest, other->number)) {
      nearest = other->number;
      position.predecessor = name;
    }
    ++position.ahead;
    if (other->share == Share::kExclusive) ++position.exclusive_ahead;
  }
  if (!found || !own_is_there) return failure(Error::kNoNode);
  return position;
}

Result<Position> position_of(std::string_view ours, std::string_view mark, const Children& queue) {
  const Mark exclusive{mark, Share::kExclusive};
  return position_of(ours, Marks(&exclusive, 1), queue);
}

}  // namespace lockstep
