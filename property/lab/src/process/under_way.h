#pragma once

#include <string_view>

#include "lockstep/fakezk/world.h"

namespace lockstep::lab {

// The execution that a thread runs, for whoever speaks when the process ends: plain data that is
// there already.
struct UnderWay {
  const fakezk::World* world = nullptr;
  const char* replay = nullptr;  // How it is run again, up to its deviations.
};

// Makes it what this thread runs, and returns what that was before: hunts may nest.
UnderWay exchange_under_way(UnderWay now) noexcept;

// Linux's number of the thread that has begun an execution last; 0 before the first one.
[[nodiscard]] int last_to_begin() noexcept;

// Prints that `who` has done `what`, and how to replay the execution that this thread runs. From
// now on it runs none. False, and nothing is printed, if it did not run any. For signal handlers.
bool say_last_words(std::string_view who, std::string_view what) noexcept;

}  // namespace lockstep::lab
