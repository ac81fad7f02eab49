#pragma once

#include <expected>

#include "lockstep/error.h"

namespace lockstep {

// A value, or the error why there is none. Expected failures are values, never exceptions; misuse
// is an assertion. To read the value of an error (*result) is undefined, as in the standard
// library: build tests with -D_GLIBCXX_ASSERTIONS, which names it.
template <class T>
using Result = std::expected<T, Error>;

// Shorthand for returning an error from a function that returns a Result.
[[nodiscard("return failure(...)")]] constexpr std::unexpected<Error> failure(Error error) {
  return std::unexpected<Error>(error);
}

}  // namespace lockstep
