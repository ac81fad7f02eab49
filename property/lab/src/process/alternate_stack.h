#pragma once

namespace lockstep::lab {

// Gives this thread, if it has none, a stack for its signal handlers until it ends: handlers cannot
// run on a stack that has overflowed.
void use_alternate_stack();

}  // namespace lockstep::lab
