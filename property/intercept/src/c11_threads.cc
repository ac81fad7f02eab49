#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include <cstdint>
#include <memory>

#include "handled.h"

// C11 threads are POSIX threads under other names, as in glibc, for callers inside and outside of
// an execution. glibc's own definitions cannot stay: they call POSIX functions internally, where
// nothing can intercept them.

namespace {

int status_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

pthread_mutex_t* of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* of(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

struct Start {
  thrd_start_t function;
  void* argument;
};

void* result_of(int status) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a thread's result is a pointer in POSIX.
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(status));
}

void* run(void* start) {
  const std::unique_ptr<const Start> owned(static_cast<const Start*>(start));
  return result_of(owned->function(owned->argument));
}

}  // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto start = std::make_unique<Start>(Start{function, argument});
  const int error = pthread_create(thread, nullptr, &run, start.get());
  if (error == 0) static_cast<void>(start.release());
  return error == EAGAIN ? thrd_nomem : status_of(error);
}
int thrd_join(thrd_t thread, int* status) {
  void* result = nullptr;
  const int error = pthread_join(thread, &result);
  if (status) *status = static_cast<int>(reinterpret_cast<std::intptr_t>(result));
  return status_of(error);
}
int thrd_detach(thrd_t thread) { return status_of(pthread_detach(thread)); }
void thrd_exit(int status) { pthread_exit(result_of(status)); }
thrd_t thrd_current() { return pthread_self(); }
void thrd_yield() { static_cast<void>(sched_yield()); }
int thrd_sleep(const timespec* time, timespec* rest) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}

int mtx_init(mtx_t* mutex, int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  const bool is_recursive = (kind & mtx_recursive) != 0;
  pthread_mutexattr_settype(&attributes,
                            is_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return status_of(pthread_mutex_init(of(mutex), &attributes));
}
int mtx_lock(mtx_t* mutex) { return status_of(pthread_mutex_lock(of(mutex))); }
int mtx_trylock(mtx_t* mutex) { return status_of(pthread_mutex_trylock(of(mutex))); }
int mtx_timedlock(mtx_t* mutex, const timespec* deadline) {
  return status_of(pthread_mutex_timedlock(of(mutex), deadline));
}
int mtx_unlock(mtx_t* mutex) { return status_of(pthread_mutex_unlock(of(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(of(mutex)); }

int cnd_init(cnd_t* condition) { return status_of(pthread_cond_init(of(condition), nullptr)); }
int cnd_signal(cnd_t* condition) { return status_of(pthread_cond_signal(of(condition))); }
int cnd_broadcast(cnd_t* condition) { return status_of(pthread_cond_broadcast(of(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return status_of(pthread_cond_wait(of(condition), of(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* deadline) {
  return status_of(pthread_cond_timedwait(of(condition), of(mutex), deadline));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(of(condition)); }

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return status_of(pthread_key_create(key, destructor));
}
void* tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return status_of(pthread_setspecific(key, value)); }
void tss_delete(tss_t key) { pthread_key_delete(key); }

}  // extern "C"

LOCKSTEP_LINKED(c11_threads)
