#pragma once

namespace lockstep::lab {

// While one of these lives, a signal that ends the process leaves last words (say_last_words), and
// then goes to whoever handled it before. They are counted: any number, on any threads.
class FatalSignals {
 public:
  FatalSignals();
  FatalSignals(const FatalSignals&) = delete;
  FatalSignals& operator=(const FatalSignals&) = delete;
  ~FatalSignals();
};

}  // namespace lockstep::lab
