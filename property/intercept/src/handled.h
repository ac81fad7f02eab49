#pragma once

#include <span>
#include <string_view>

namespace lockstep::intercept {

// A function of libc that this library replaces.
struct Handled {
  std::string_view name;
  const void* definition;
};

// Returns all replaced functions. A program that links handled() gets the definitions of all.
[[nodiscard]] std::span<const Handled> handled();

}  // namespace lockstep::intercept

// Each file that defines such functions contains this macro, with its own name, and handled.cc
// refers to all of them. Without that reference, the linker would not take a file whose functions
// another library in front of this one, such as ThreadSanitizer's, defines too.
#define LOCKSTEP_LINKED(file)             \
  namespace lockstep::intercept::linked { \
  extern const char file;                 \
  const char file = 0;                    \
  }
