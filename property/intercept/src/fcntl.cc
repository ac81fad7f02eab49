#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include <cstdarg>
#include <string>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

int control(Execution& execution, int file, int command, long argument) {
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  if (!descriptor) return -1;
  switch (command) {
    case F_GETFL: return descriptor->access() | (descriptor->nonblocking ? O_NONBLOCK : 0);
    case F_SETFL: descriptor->nonblocking = (argument & O_NONBLOCK) != 0; return 0;
    case F_GETFD: return FD_CLOEXEC;
    case F_SETFD: return 0;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      if (argument < 0 || argument >= Descriptors::kFirst + Descriptors::kMost) {
        return errno = EINVAL, -1;
      }
      return execution.descriptors().add_above(static_cast<int>(argument), descriptor);
    default:
      execution.refuse("fcntl", "command " + std::to_string(command) + " cannot be intercepted");
  }
}

// All simulated processes are one real process, which a lock of a file does not keep out.
void check_real(Execution& execution, int command) {
  switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      execution.refuse("fcntl", "locks and queues that processes share cannot be intercepted");
    default: return;
  }
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(fcntl)(file, command, argument));
  if (!Descriptors::is_ours(file)) {
    check_real(*execution, command);
    return LOCKSTEP_REAL(fcntl)(file, command, argument);
  }
  return control(*execution, file, command, argument);
}

int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  return ::fcntl(file, command, argument);
}

int ioctl(int file, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(ioctl)(file, request, argument));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(ioctl)(file, request, argument);
  if (request != FIONBIO) execution->refuse("ioctl", "only FIONBIO can be intercepted");
  const std::shared_ptr<Descriptor>& descriptor = execution->descriptors().find(file);
  if (!descriptor) return -1;
  descriptor->nonblocking = *static_cast<const int*>(argument) != 0;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(fcntl)
