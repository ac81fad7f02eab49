#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "lockstep/children.h"
#include "lockstep/result.h"

namespace lockstep {

// The mark in front of an exclusive contender's sequence number; Curator's, so that both libraries
// exclude each other on one path.
inline constexpr std::string_view kLockMark = "-lock-";

// Those of the read/write lock; Curator's too.
inline constexpr std::string_view kReadMark = "__READ__";
inline constexpr std::string_view kWriteMark = "__WRIT__";
// The mark of a semaphore's lease; Curator uses it too.
inline constexpr std::string_view kLeaseMark = "-lease-";

// The contenders that a holder excludes: all of them, or exclusive ones only.
enum class Share : std::uint8_t { kExclusive, kShared };

// A kind of contender: what stands in front of its sequence number, and how it holds. The text in
// front of the mark is free, since every library puts its own ids there.
struct Mark {
  std::string_view text;
  Share share;
};
// The kinds of contenders that one queue can hold. Views of something that outlives the lock.
using Marks = std::span<const Mark>;

inline constexpr std::array kMutexMarks = {Mark{kLockMark, Share::kExclusive}};
inline constexpr std::array kReadWriteMarks = {Mark{kReadMark, Share::kShared},
                                               Mark{kWriteMark, Share::kExclusive}};
inline constexpr std::array kLeaseMarks = {Mark{kLeaseMark, Share::kShared}};

// The sequence number of a contender's znode name, after the last `mark`. None if the name does not
// carry the mark or does not end in a number as the server writes it (ten digits; after an overflow
// a minus sign and at least nine): such a znode is no contender.
[[nodiscard]] std::optional<std::int32_t> sequence_number(std::string_view name,
                                                          std::string_view mark);

// True if `a` was handed out before `b`: serial number arithmetic (RFC 1982), because the counter
// wraps. Never compare names: what stands in front of the number is a client's choice.
[[nodiscard]] constexpr bool precedes(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) <
         0;
}

// True if no later contender can get this number or a lower one. At 2147483647 the server's counter
// sticks: every later contender gets that number, and none notices, because names differ in their
// prefixes. (DataTree.createNode only raises it; requests in one batch see it wrap instead.) Only a
// new parent helps: a contender with such a number has no place in the queue.
[[nodiscard]] constexpr bool keeps_order(std::int32_t number) {
  return number >= 0 && number < std::numeric_limits<std::int32_t>::max();
}

// True if a queue with that number has used up all its numbers but the last 2^20: its users should
// be warned.
[[nodiscard]] constexpr bool runs_out(std::int32_t number) {
  constexpr std::int32_t kLast = 1 << 20;
  return number > std::numeric_limits<std::int32_t>::max() - kLast;
}

// A child of a lock that is in its queue.
struct Contender {
  std::int32_t number;
  Share share;
};

// The contender that a znode's name describes; none if the name carries no mark.
[[nodiscard]] std::optional<Contender> contender(std::string_view name, Marks marks);

// True if `other` keeps `ours` waiting: it stands in front, and they cannot hold together. (Readers
// wait for writers only.)
[[nodiscard]] constexpr bool blocks(const Contender& other, const Contender& ours) {
  const bool together = other.share == Share::kShared && ours.share == Share::kShared;
  return !together && precedes(other.number, ours.number);
}

// A contender's position in a queue.
struct Position {
  std::size_t ahead = 0;            // Contenders in front that keep it waiting.
  std::size_t exclusive_ahead = 0;  // Those of them that are exclusive.
  // The nearest of those in front; a view into the list. Empty if there is none.
  std::string_view predecessor;
  // A child that is no contender, if there is one; a view into the list.
  std::string_view foreign;
};

// The position of the contender called `ours`. `own` is not counted: a grant of the same holder.
// Neither are others with its number: a downgraded reader has that of its writer, which the session
// may still be deleting. Errors: kNoNode if `ours`, or an `own` that is not empty, is not in the
// list; kBadArguments if `ours` carries no mark.
[[nodiscard]] Result<Position> position_of(std::string_view ours, Marks marks,
                                           const Children& queue, std::string_view own = {});
// In a queue of exclusive contenders with that mark.
[[nodiscard]] Result<Position> position_of(std::string_view ours, std::string_view mark,
                                           const Children& queue);

}  // namespace lockstep
