#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "lockstep/search/chronicle.h"

namespace lockstep::search {

// An execution as text: time runs down, each process has a lane of its own, and so have the servers
// if they or the clock do something by themselves.
//
//   ->  a server takes up a request of this process, and what it answers
//   <-  the process receives a reply, or (!) a watch event
//   **  something goes wrong on purpose
//   ==  what the program itself says: it has its place, it gives up
//   !!  a guarantee is broken
//
// Left of a lane stands # while the process holds the lock, and : from the deletion of its znode
// until it knows. Right of the time stands + for a step that creates a znode, - for one that
// deletes one, ~ for one that changes one; changes that nobody has asked for in this step have
// lines of their own. A reply that is received in the step after the request was applied is drawn
// on the request's line. GUIDs are left out of names (ShortNames), and the middle of what is
// very long, with a line that says how much.
//
// A lane is as wide as what it holds, up to `widest_lane` characters: what is longer ends with an
// ellipsis. By default that is what suits a terminal, less the more lanes there are.
[[nodiscard]] std::string draw_lanes(const Chronicle& chronicle,
                                     std::optional<std::size_t> widest_lane = std::nullopt);
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

// The marks that draw_lanes() has drawn, each with what it means, as one line; empty if there is
// none.
[[nodiscard]] std::string legend(const Chronicle& chronicle);

// The same as draw_lanes() of a single step.
[[nodiscard]] std::string draw_step(const Chronicle& chronicle, std::uint32_t step);

}  // namespace lockstep::search
