#pragma once

#include <stdexcept>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

// Work between two steps of a world does not end: it posts more work, or coroutines resume each
// other without ever waiting. The world drops that work and keeps this as an escaped exception
// (World::take_exception).
class Endless : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep::fakezk
