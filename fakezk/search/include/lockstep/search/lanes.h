#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "lockstep/search/chronicle.h"

namespace lockstep::search {

// An execution as text: time runs down, each process has a lane of its own, and so have its users
// (lanes_of), and the servers if they or the clock do something by themselves.
//
//   ->  a server takes up a request of this process, and its answer
//   <-  the process receives a reply, or (!) a watch event
//   **  a fault strikes
//   ==  a remark of the program: it has its place, it gives up; a thread goes on after its blocking
//       call, later than it could have; in a short drawing also one that overtakes another one of
//       its process
//   !!  a guarantee is broken
//
// A # to the left of a lane means that the process holds the lock, and a : that its znode is
// deleted but the process does not know yet. To the right of the time, + marks a step that creates
// a znode, - one that deletes one, ~ one that changes one; changes that no request of this step has
// asked for have lines of their own. A reply that is received in the step after the request was
// applied is drawn on the request's line. GUIDs are left out of names (ShortNames), and so is the
// middle of a very long execution, with a line that says how much is left out.
//
// A lane is as wide as its contents, up to `widest_lane` characters; longer texts go on
// in the next line. The default suits a terminal: the more lanes there are, the narrower they get.
[[nodiscard]] std::string draw_lanes(const Chronicle& chronicle,
                                     std::optional<std::size_t> widest_lane = std::nullopt);
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

// The same on a screen of this many columns. If the lanes do not fit, they are narrowed; on a
// screen of less than 100 columns, or with too many lanes, they are folded instead: a first line
// says so, and each line begins with the marks of all lanes and the name of its own.
[[nodiscard]] std::string draw_lanes_within(const Chronicle& chronicle, std::size_t columns);

// The marks that draw_lanes() has drawn, each with its meaning, as one line; empty if there are
// none.
[[nodiscard]] std::string legend(const Chronicle& chronicle);

// draw_lanes() for a single step.
[[nodiscard]] std::string draw_step(const Chronicle& chronicle, std::uint32_t step);

}  // namespace lockstep::search
