#pragma once

#include <stdio.h>

namespace lockstep::intercept {

// Opens a stream of libc that reads, writes and closes a descriptor of the execution. Returns null
// and sets errno if it cannot.
[[nodiscard]] FILE* open_stream(int file, const char* mode);

}  // namespace lockstep::intercept
