#include "process/thread_id.h"

#include <pthread.h>
#include <unistd.h>

namespace lockstep::lab {

namespace {

constinit thread_local int known = 0;

}  // namespace

int own_thread_id() noexcept {
  if (known != 0) return known;
  static const int forgotten = ::pthread_atfork(nullptr, nullptr, [] { known = 0; });
  static_cast<void>(forgotten);
  return known = ::gettid();
}

}  // namespace lockstep::lab
