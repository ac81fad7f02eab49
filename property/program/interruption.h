#pragma once

namespace lockstep::program {

// While it lives, the first SIGINT or SIGTERM is only recorded, so that a running search can stop
// and print its result; the second one ends the process as usual. An ignored signal stays ignored.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();
};

// The recorded signal, or 0.
[[nodiscard]] int interrupted_by();
// The exit status that a shell gives for that signal.
[[nodiscard]] int status_of_interruption();

}  // namespace lockstep::program
