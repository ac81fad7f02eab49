#pragma once

#include <span>
#include <string_view>

namespace lockstep::intercept {

// A function that this library defines in place of libc.
struct Handled {
  std::string_view name;
  const void* definition;
};

// All of them. A program that links this gets all definitions.
[[nodiscard]] std::span<const Handled> handled();

}  // namespace lockstep::intercept
