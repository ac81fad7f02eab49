#pragma once

namespace lockstep::lab {

// Gives this thread a stack for signal handlers until it ends, unless it has one: handlers cannot
// run on a stack that has overflowed.
void use_alternate_stack();

}  // namespace lockstep::lab
