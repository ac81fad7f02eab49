#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "handled.h"
#include "handles.h"
#include "processors.h"
#include "real.h"

// Attributes of threads. glibc's own definitions would take an intercepted thread's handle for a
// real one. The execution remembers a thread's scheduling and processors, which have no effect.

namespace lockstep::intercept {

namespace {

// Whether Linux accepts this priority for the policy.
bool is_valid(int policy, int priority) {
  const int least = ::sched_get_priority_min(policy);
  return least >= 0 && priority >= least && priority <= ::sched_get_priority_max(policy);
}

int describe(const Thread& thread, pthread_attr_t& attributes) {
  if (const int error = ::pthread_attr_init(&attributes)) return error;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the caller only reads the address.
  void* const stack = const_cast<void*>(thread.stack_begin());
  ::pthread_attr_setstack(&attributes, stack, thread.stack_bytes());
  ::pthread_attr_setguardsize(&attributes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  const bool is_detached = Execution::detached(thread);
  ::pthread_attr_setdetachstate(&attributes,
                                is_detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  ::pthread_attr_setschedpolicy(&attributes, thread.scheduling.policy);
  const sched_param parameters{.sched_priority = thread.scheduling.priority};
  ::pthread_attr_setschedparam(&attributes, &parameters);
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_getattr_np)(handle, attributes));
  const Thread* const thread = find_thread(*execution, handle);
  return thread ? describe(*thread, *attributes) : ESRCH;
}

int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_setschedparam)(handle, policy, parameters));
  Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  if (!is_valid(policy, parameters->sched_priority)) return EINVAL;
  thread->scheduling.policy = policy;
  thread->scheduling.priority = parameters->sched_priority;
  return 0;
}

int pthread_getschedparam(pthread_t handle, int* policy, sched_param* parameters) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_getschedparam)(handle, policy, parameters));
  const Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  *policy = thread->scheduling.policy;
  parameters->sched_priority = thread->scheduling.priority;
  return 0;
}

int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_setschedprio)(handle, priority));
  Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  if (!is_valid(thread->scheduling.policy, priority)) return EINVAL;
  thread->scheduling.priority = priority;
  return 0;
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t* processors) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_setaffinity_np)(handle, size, processors));
  Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  return choose_processors(*thread, size, processors);
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* processors) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_getaffinity_np)(handle, size, processors));
  const Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  show_processors(*thread, size, processors);
  return 0;
}

// All clocks of an execution show the host's time.
int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_getcpuclockid)(handle, clock));
  if (!find_thread(*execution, handle)) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(attributes)
