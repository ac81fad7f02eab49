#pragma once

namespace lockstep::intercept {

// Throws std::logic_error, with the names of the function and the object, if a loaded object does
// not use this library's definitions, or uses a function that waits in real time and that this
// library does not define. Runs once.
void audit();

}  // namespace lockstep::intercept
