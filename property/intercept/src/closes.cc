#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

// The end of descriptors. Real ones below Execution::first_file() were open before the code under
// test began: the hunt needs them, and they seem to close.

namespace lockstep::intercept {

namespace {

void close_all(Execution& execution, unsigned first, unsigned last) {
  execution.point("close_range");
  const auto real_first = std::max(first, static_cast<unsigned>(execution.first_file()));
  const auto real_last = std::min(last, static_cast<unsigned>(Descriptors::kFirst) - 1);
  if (real_first <= real_last) LOCKSTEP_REAL(close_range)(real_first, real_last, 0);
  const unsigned most = INT_MAX;
  execution.descriptors().close_range(static_cast<int>(std::min(first, most)),
                                      static_cast<int>(std::min(last, most)));
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int close(int file) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(close)(file));
  if (file >= 0 && file < execution->first_file()) return 0;
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(close)(file);
  execution->point("close");
  return execution->descriptors().close(file);
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(close_range)(first, last, flags));
  if (first > last) return errno = EINVAL, -1;
  // No program is started, so descriptors that would close then stay open.
  if ((flags & CLOSE_RANGE_CLOEXEC) == 0) close_all(*execution, first, last);
  return 0;
}

void closefrom(int first) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(closefrom)(first));
  close_all(*execution, static_cast<unsigned>(std::max(first, 0)), ~0U);
}

}  // extern "C"

LOCKSTEP_LINKED(closes)
