#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "process/ends.h"

namespace lockstep::lab {

// The verdict on a child that takes too long: it breaks nothing, or that is the violation "crash".
enum class IfSlow : std::uint8_t { kNothing, kCrash };

// Runs `work` in a child process, where code under test may do any harm. `work` writes its trial to
// `file` (write_trial). Without a word, the child has been killed: by itself, from outside, or
// because it took too long. Standard output and standard error go nowhere.
[[nodiscard]] std::optional<ToldTrial> in_child(unsigned most_seconds, IfSlow if_slow,
                                                const std::function<void(int file)>& work);

// Makes a new child such a process: it prints nothing, and tells `file` of its end.
void begin_child(int file, IfSlow if_slow);

}  // namespace lockstep::lab
