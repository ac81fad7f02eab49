#include "keys.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include <array>

#include "caller.h"
#include "calls.h"
#include "handled.h"
#include "real.h"

// A key has the same number inside and outside of an execution. Inside, its values belong to the
// intercepted thread, unless it is a sanitizer's key: a sanitizer knows only real threads. No
// thread has a value of a new key, even if its number has belonged to a deleted one.

namespace lockstep::intercept {

namespace {

using Destructor = void (*)(void*);

struct Key {
  Destructor destructor = nullptr;
  bool is_real = false;
  bool exists = false;
};
constinit std::array<Key, PTHREAD_KEYS_MAX> keys;

bool is_real(pthread_key_t key) { return key < keys.size() && keys[key].is_real; }

// A sanitizer's runtime that is linked into the program, as Clang does, creates its keys before the
// program's constructors run. Only this tells its keys from the program's.
constinit bool constructors_have_run = false;
[[gnu::constructor(101)]] void constructors_run() { constructors_have_run = true; }

}  // namespace

void destroy_specifics(std::vector<void*>& values) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (std::size_t key = 0; key < values.size(); ++key) {
      void* const value = values[key];
      values[key] = nullptr;
      if (!value || !keys[key].destructor) continue;
      any = true;
      keys[key].destructor(value);
    }
    if (!any) return;
  }
}

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const int error = LOCKSTEP_REAL(pthread_key_create)(key, destructor);
  if (error != 0) return error;
  if (Execution* const execution = Execution::of_stack()) {
    execution->forget_specific(*key);
    execution->has_created(*key, key);
  }
  const bool is_real = is_sanitizer_code(LOCKSTEP_CALLER) ||
                       (!constructors_have_run && !is_library_code(LOCKSTEP_CALLER));
  keys[*key] = {destructor, is_real, true};
  return 0;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (key < keys.size()) keys[key] = {};
  if (Execution* const execution = Execution::of_stack()) {
    execution->forget_specific(key);
    execution->has_deleted(key);
  }
  return LOCKSTEP_REAL(pthread_key_delete)(key);
}

void* pthread_getspecific(pthread_key_t key) noexcept {
  Execution* const execution = Execution::of_caller();
  if (!execution || is_real(key)) return LOCKSTEP_REAL(pthread_getspecific)(key);
  if (key >= keys.size()) return nullptr;
  const Execution::InRuntime inside;
  return *execution->specific(key);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  Execution* const execution = Execution::of_caller();
  if (!execution || is_real(key)) return LOCKSTEP_REAL(pthread_setspecific)(key, value);
  const Execution::InRuntime inside;
  if (key >= keys.size() || !keys[key].exists) return EINVAL;
  *execution->specific(key) = const_cast<void*>(value);
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(keys)
