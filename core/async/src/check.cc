#include "lockstep/internal/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep::internal {

void misused(const char* rule) noexcept {
  std::fprintf(stderr, "lockstep: misuse: %s\n", rule);
  std::abort();
}

}  // namespace lockstep::internal
