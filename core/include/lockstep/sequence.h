#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/children.h"
#include "lockstep/result.h"

namespace lockstep {

// The mark in front of an exclusive contender's sequence number; Curator's, so that both libraries
// exclude each other on one path.
inline constexpr std::string_view kLockMark = "-lock-";

// The sequence number of a contender's znode name: what follows the last `mark`. None if the name
// does not carry the mark or does not end in a number: such a znode is no contender. The server
// writes ten digits, or a minus sign once its counter has overflowed.
[[nodiscard]] std::optional<std::int32_t> sequence_number(std::string_view name,
                                                          std::string_view mark);

// True if `a` was handed out before `b`: serial number arithmetic (RFC 1982), because the counter
// wraps. Never compare names: what stands in front of the number is a client's choice.
[[nodiscard]] constexpr bool precedes(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) <
         0;
}

// Where a contender stands in a queue.
struct Position {
  std::size_t ahead = 0;         // Contenders in front.
  std::string_view predecessor;  // The last of them; a view into the list. Empty if there is none.
};

// The position of the contender called `ours`. Error: kNoNode if it is not in the list.
[[nodiscard]] Result<Position> position_of(std::string_view ours, std::string_view mark,
                                           const Children& queue);

}  // namespace lockstep
