#pragma once

#include <expected>

#include "lockstep/error.h"

namespace lockstep {

// A value, or the error why there is none. Expected failures are values, never exceptions; misuse
// is an assertion.
template <class T>
using Result = std::expected<T, Error>;

// Shorthand for returning an error from a function that returns a Result.
[[nodiscard]] constexpr std::unexpected<Error> failure(Error error) {
  return std::unexpected<Error>(error);
}

}  // namespace lockstep
