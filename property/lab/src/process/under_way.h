#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/fakezk/world.h"

namespace lockstep::lab {

// The two ends that a dying process has of its conversation with the process that explains its end
// (Aftermath).
struct Explainer {
  int tell = -1;   // It is told of the end here,
  int await = -1;  // and closes this when it has explained it.
};

// The execution that a thread runs, as plain data that can be read when the process ends.
struct UnderWay {
  const fakezk::World* world = nullptr;
  const char* replay = nullptr;  // The replay string up to its deviations.
  const Explainer* explainer = nullptr;
  bool is_searched = false;  // search::searched_execution() is its number.
};

// Sets the execution of this thread and returns the previous one: hunts may nest.
UnderWay exchange_under_way(UnderWay now) noexcept;

// Linux's number of the thread that last began an execution; 0 before the first one.
[[nodiscard]] int last_to_begin() noexcept;

// Prints that `who` has done `what`, and how to replay this thread's execution, which is forgotten
// then. Returns false, and prints nothing, if the thread runs none. For signal handlers.
bool say_last_words(std::string_view who, std::string_view what) noexcept;

// From now on this process is a trial: instead of saying last words, it writes its end to that file
// (ends.h) and exits.
void report_ends_to(int file) noexcept;
// Whether it is one.
[[nodiscard]] bool is_trial() noexcept;

}  // namespace lockstep::lab
