#pragma once

namespace lockstep::program {

// Seconds that processors have spent on all threads of this process: other load on the machine does
// not lengthen them. Reading them takes a system call.
[[nodiscard]] double processor_seconds();

}  // namespace lockstep::program
