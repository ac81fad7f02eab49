#pragma once

#include <cstdint>

#include "lockstep/fake/scenario.h"
#include "lockstep/path.h"
#include "lockstep/task.h"

// What the contenders of the library's own recipes do: as much of each as a few clients can do in
// few steps.
namespace lockstep::scenarios {

// By turns a client writes and goes on reading, reads and goes on writing, does all of that, and
// only writes.
Task<void> contend_for_read_write_lock(fake::Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios
