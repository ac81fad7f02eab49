#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "process/ends.h"

namespace lockstep::lab {

// The verdict on a child that takes too long: nothing is violated, or the oracle "crash" is.
enum class IfSlow : std::uint8_t { kNothing, kCrash };

// Runs `work` in a child process, where code under test may do any harm. `work` writes its trial to
// `file` (write_trial). Returns none if the child was killed before: by itself, from outside, or
// because it took too long. Its output is discarded, if /dev/null can be opened. Throws
// std::system_error if the machine has no more processes or files.
[[nodiscard]] std::optional<ReportedTrial> in_child(unsigned most_seconds, IfSlow if_slow,
                                                    const std::function<void(int file)>& work);

// Throws std::system_error with that errno, and what to do about it.
[[noreturn]] void throw_no_child(int error);

// Prepares a new child as in_child() does: it prints nothing, and reports its end to `file`.
void begin_child(int file, IfSlow if_slow);

}  // namespace lockstep::lab
