#pragma once

namespace lockstep::intercept {

// Checks that all loaded objects use this library's definitions, and no function that waits in real
// time and that this library does not define. Throws std::logic_error with the names of the
// function and the object otherwise. Only the first call reads the objects.
void audit();

}  // namespace lockstep::intercept
