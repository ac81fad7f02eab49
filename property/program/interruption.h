#pragma once

namespace lockstep::program {

// While it lives, the first SIGINT or SIGTERM is only noted, so that what runs can end by itself
// and tell its result; the second one ends the process as usual. A signal that was ignored stays
// so.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();
};

// The signal that was noted, or 0.
[[nodiscard]] int interrupted_by();
// How a shell shows an end by that signal.
[[nodiscard]] int status_of_interruption();

}  // namespace lockstep::program
