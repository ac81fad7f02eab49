#pragma once

#include "lockstep/lab/hunt.h"

namespace lockstep::lab {

// Throws std::invalid_argument, which says what is wrong, if these settings cannot hunt that lock.
void check(const LockUnderTest& lock, const HuntSettings& settings);

}  // namespace lockstep::lab
