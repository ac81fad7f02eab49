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

// Stands in each file that defines such functions, by its name: handled.cc asks for all of them.
// The linker takes no file of this library for a function that a library before it has, too, as
// ThreadSanitizer's does.
#define LOCKSTEP_LINKED(file)             \
  namespace lockstep::intercept::linked { \
  extern const char file;                 \
  const char file = 0;                    \
  }
