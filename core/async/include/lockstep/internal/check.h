#pragma once

#include "lockstep/internal/language.h"

namespace lockstep::internal {

// Prints the violated rule and aborts. Misuse of an API is a bug in the caller that no error value
// can repair, so the check is on in every build.
[[noreturn]] void misused(const char* rule) noexcept;

inline void check(bool holds, const char* rule) noexcept {
  if (!holds) [[unlikely]] {
    misused(rule);
  }
}

}  // namespace lockstep::internal
