#pragma once

#include <cstdint>
#include <string>

#include "lockstep/fakezk/explore/chronicle.h"

namespace lockstep::fakezk {

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
// on the request's line. GUIDs are left out of names (without_guids), and the middle of what is
// very long.
[[nodiscard]] std::string draw_lanes(const Chronicle& chronicle);

// The same of a single step.
[[nodiscard]] std::string draw_step(const Chronicle& chronicle, std::uint32_t step);

}  // namespace lockstep::fakezk
