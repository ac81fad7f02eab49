#pragma once

#include <stdexcept>

namespace lockstep::fakezk {

// What runs between two steps of a world does not come to an end: work posts more work, or
// coroutines resume each other, for ever, and nothing is ever waited for. The world lets go of it
// and keeps this as an exception that has escaped (World::take_exception).
class Endless : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep::fakezk
