#pragma once

namespace lockstep::lab {

// While such an object lives, a signal that ends the process first prints last words
// (say_last_words), and then goes to its previous handler. Any number may live, on any threads.
class FatalSignals {
 public:
  FatalSignals();
  FatalSignals(const FatalSignals&) = delete;
  FatalSignals& operator=(const FatalSignals&) = delete;
  ~FatalSignals();
};

}  // namespace lockstep::lab
