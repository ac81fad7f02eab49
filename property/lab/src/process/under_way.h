#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/fakezk/world.h"

namespace lockstep::lab {

// A dying process's two descriptors for the process that explains its end (ExplainerProcess).
struct Explainer {
  int tell = -1;   // The end is reported here,
  int await = -1;  // and this closes when it is explained.
};

// The execution that a thread runs, as plain data that can be read when the process ends.
struct UnderWay {
  const fakezk::World* world = nullptr;
  const char* replay = nullptr;  // The replay string up to its deviations.
  const Explainer* explainer = nullptr;
  bool is_searched = false;  // Its number is search::searched_execution().
};

// Sets the execution of this thread and returns the previous one: hunts may nest.
UnderWay exchange_under_way(UnderWay now) noexcept;

// Linux's number of the thread that last began an execution; 0 before the first one.
[[nodiscard]] int last_to_begin() noexcept;

// Prints that `who` has done `what`, and how to replay this thread's execution; then forgets that
// execution. Returns false and prints nothing if the thread runs none. Safe in signal handlers.
bool say_last_words(std::string_view who, std::string_view what) noexcept;

// Makes this process a trial: instead of printing last words, it writes its end to `file` (ends.h)
// and exits.
void report_ends_to(int file) noexcept;
// Whether this process is a trial.
[[nodiscard]] bool is_trial() noexcept;

}  // namespace lockstep::lab
