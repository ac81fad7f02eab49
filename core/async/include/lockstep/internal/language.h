// Ends a compilation in an older language with one error instead of hundreds. Each header that
// includes no other one of this library includes this, so it comes before all code.
#pragma once

#include <version>

#ifndef __cpp_lib_expected
// GCC goes on after an #error; only a missing file stops it.
// allow(include): its name is the message.
#include "Lockstep needs C++23: compile with -std=c++23, and GCC 12 or Clang 19 or newer"
#endif
