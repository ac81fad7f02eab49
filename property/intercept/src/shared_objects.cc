#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>

#include <cstdarg>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Named semaphores and shared memory are real, and processes of an execution share them.

using namespace lockstep::intercept;

extern "C" {

sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    value = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_open)(name, flags, mode, value));
  execution->becomes_observable();
  return LOCKSTEP_REAL(sem_open)(name, flags, mode, value);
}

int shm_open(const char* name, int flags, mode_t mode) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(shm_open)(name, flags, mode));
  execution->becomes_observable();
  return LOCKSTEP_REAL(shm_open)(name, flags, mode);
}

}  // extern "C"

LOCKSTEP_LINKED(shared_objects)
