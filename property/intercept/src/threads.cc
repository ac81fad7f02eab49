#include <errno.h>
#include <pthread.h>

#include <optional>
#include <string>
#include <string_view>

#include "caller.h"
#include "calls.h"
#include "handled.h"
#include "handles.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

// Returns 0 or the error: EBUSY if the thread has not ended by `until`.
int join(Execution& execution, std::string_view call, pthread_t handle, void** result,
         std::optional<std::chrono::nanoseconds> until) {
  Thread* const thread = find_thread(execution, handle);
  if (!thread) return ESRCH;
  if (Execution::detached(*thread)) return EINVAL;
  if (thread == execution.running()) return EDEADLK;
  const Execution::Joined joined = execution.join(*thread, call, until);
  if (!joined.has_ended) return EBUSY;
  Execution::detach(*thread);
  if (result) *result = joined.result;
  return 0;
}

int join_until(Execution& execution, std::string_view call, pthread_t handle, void** result,
               clockid_t clock, const timespec* time) {
  if (!time) return join(execution, call, handle, result, std::nullopt);
  if (!is_valid(*time)) return EINVAL;
  const int error = join(execution, call, handle, result, due(clock, *time));
  return error == EBUSY ? ETIMEDOUT : error;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_create)(handle, attributes, body, argument));
  execution->point("pthread_create", LOCKSTEP_CALLER);
  const bool by_library = is_library_code(LOCKSTEP_CALLER);
  const std::string_view refusal = execution->host().refuses_thread(by_library);
  if (!refusal.empty()) execution->refuse("pthread_create", refusal);
  Thread& thread = execution->create([body, argument] { return body(argument); }, by_library);
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  if (state == PTHREAD_CREATE_DETACHED) Execution::detach(thread);
  *handle = handle_of(thread);
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_join)(handle, result));
  return join(*execution, "pthread_join", handle, result, std::nullopt);
}

int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_tryjoin_np)(handle, result));
  return join(*execution, "pthread_tryjoin_np", handle, result, std::chrono::nanoseconds::zero());
}

int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_timedjoin_np)(handle, result, time));
  return join_until(*execution, "pthread_timedjoin_np", handle, result, CLOCK_REALTIME, time);
}

int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* time) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_clockjoin_np)(handle, result, clock, time));
  if (!is_waited_on(clock)) return EINVAL;
  return join_until(*execution, "pthread_clockjoin_np", handle, result, clock, time);
}

int pthread_detach(pthread_t handle) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_detach)(handle));
  Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  if (Execution::detached(*thread)) return EINVAL;
  Execution::detach(*thread);
  return 0;
}

pthread_t pthread_self() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_self)());
  return handle_of(*execution->running());
}

void pthread_exit(void* result) {
  Execution* const execution = Execution::of_caller();
  if (!execution) LOCKSTEP_REAL(pthread_exit)(result);
  Execution::exit_thread(result);
}

int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_setname_np)(handle, name));
  constexpr std::size_t kMost = 15;
  const std::string text = name;
  if (text.size() > kMost) return ERANGE;
  Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  Execution::name(*thread, text);
  return 0;
}

int pthread_getname_np(pthread_t handle, char* name, size_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_getname_np)(handle, name, size));
  const Thread* const thread = find_thread(*execution, handle);
  if (!thread) return ESRCH;
  const std::string& text = thread->name();
  if (size <= text.size()) return ERANGE;
  text.copy(name, text.size());
  name[text.size()] = '\0';
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(threads)
