#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/internal/language.h"

namespace lockstep::search {

// The oracles of a hunt, in the order in which violations are reported: if one step violates
// several oracles, the report names the first of them. Users' own invariants ("user:<name>") come
// last.
enum class Oracle : std::uint8_t {
  kS1,
  kS2,
  kS3,
  kS4,
  kS5,
  kL1,
  kL2,
  kL3,
  kL4,
  kR1,
  kR2,
  kDeadlock,
  kLivelock,
  kCrash,
  kMisuse,
};

// Everything that reports and documents say about an oracle. The faults that waive an oracle stand
// beside the oracles of locks (lockstep/judge/assertions.h): this library knows no lock.
struct OracleFacts {
  Oracle oracle;
  std::string_view name;
  // Whether a violation breaks a guarantee ("breaks L1"); otherwise an execution "fails with" it.
  bool is_guarantee;
  // The guarantee ("no lost wakeup"), or what has happened ("there is no end").
  std::string_view brief;
  std::string_view sentence;  // The guarantee.
  // Why it may have judged nothing in a hunt; empty if it always judges something.
  std::string_view idle_because = {};
  // The part that an exhaustive search does not judge, because that part depends on orders that
  // the search leaves out; empty if the search judges all of it.
  std::string_view not_exhaustively = {};
};

// One row for each oracle, in the order of the enumerators.
[[nodiscard]] std::span<const OracleFacts> oracles();
[[nodiscard]] const OracleFacts& facts(Oracle oracle);
[[nodiscard]] inline std::string_view name(Oracle oracle) { return facts(oracle).name; }
// The oracle with that name; none for a user's own invariant.
[[nodiscard]] std::optional<Oracle> oracle_called(std::string_view name);
// The row with that name; general words for a user's own invariant.
[[nodiscard]] const OracleFacts& facts(std::string_view oracle);

// The verb for a violation: an execution "breaks" L1, it "fails with" crash.
[[nodiscard]] std::string_view breaks(std::string_view oracle);
// A violation as a headline: "L1 is broken", "crash".
[[nodiscard]] std::string headline(std::string_view oracle);

// The rules that an exhaustive search does not judge: "L3", "livelock by repetition".
[[nodiscard]] std::vector<std::string_view> list_not_judged();
[[nodiscard]] std::string not_judged();  // "L3 and livelock by repetition"

}  // namespace lockstep::search
