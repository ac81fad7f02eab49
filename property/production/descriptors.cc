#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace lockstep::program {

namespace {

// Bounds a loop over all numbers, which would take forever under an unlimited limit.
constexpr rlim_t kMostNumbers = 1U << 20U;

}  // namespace

unsigned last_possible(unsigned last) {
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  const rlim_t count = known ? std::min(limit.rlim_cur, kMostNumbers) : kMostNumbers;
  return std::min(last, static_cast<unsigned>(count));
}

void close_descriptors(unsigned first, unsigned last) {
  if (close_range(first, last, 0) == 0) return;
  const unsigned end = last_possible(last);
  for (unsigned number = first; number <= end; ++number) close(static_cast<int>(number));
}

void close_descriptors_at_exec(unsigned first, unsigned last) {
  if (close_range(first, last, CLOSE_RANGE_CLOEXEC) == 0) return;
  const unsigned end = last_possible(last);
  for (unsigned number = first; number <= end; ++number) {
    fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC);
  }
}

}  // namespace lockstep::program
