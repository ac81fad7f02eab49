#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

// Several numbers for one descriptor. The last one that is closed closes the descriptor.

namespace lockstep::intercept {

namespace {

constexpr char kMixed[] =
    "a descriptor of hunted code cannot take the number of a real one, or the reverse";

// The number `as` is not that of the descriptor.
int duplicate(Execution& execution, std::string_view call, int file, int as) {
  if (!Descriptors::is_ours(file)) execution.refuse(call, kMixed);
  execution.point(call);  // Another thread may close the number.
  const std::shared_ptr<Descriptor> descriptor = execution.descriptors().find(file);
  if (!descriptor) return -1;
  if (as >= 0 && !Descriptors::is_ours(as)) execution.refuse(call, kMixed);
  if (!Descriptors::can_be_ours(as)) return errno = EBADF, -1;
  execution.descriptors().put(as, descriptor);
  return as;
}

bool are_real(int file, int as) { return !Descriptors::is_ours(file) && !Descriptors::is_ours(as); }

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int dup(int file) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(dup)(file));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(dup)(file);
  execution->point("dup");
  const std::shared_ptr<Descriptor> descriptor = execution->descriptors().find(file);
  return descriptor ? execution->descriptors().add(descriptor) : -1;
}

int dup2(int file, int as) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(dup2)(file, as));
  if (are_real(file, as)) return LOCKSTEP_REAL(dup2)(file, as);
  if (file == as) return execution->descriptors().find(file) ? as : -1;
  return duplicate(*execution, "dup2", file, as);
}

int dup3(int file, int as, int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(dup3)(file, as, flags));
  if (are_real(file, as)) return LOCKSTEP_REAL(dup3)(file, as, flags);
  if (file == as || (flags & ~O_CLOEXEC) != 0) return errno = EINVAL, -1;
  return duplicate(*execution, "dup3", file, as);
}

}  // extern "C"

LOCKSTEP_LINKED(duplicates)
