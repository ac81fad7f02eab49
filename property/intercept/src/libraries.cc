#include <dlfcn.h>

#include <string_view>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Libraries that code under test loads and unloads itself.

namespace lockstep::intercept {

namespace {

// libc looks for a name without a folder, and for $ORIGIN, in folders that depend on the caller. It
// finds the caller by the return address of dlopen(), so only a jump there keeps them.
bool depends_on_caller(const char* file) {
  if (!file) return true;
  const std::string_view name = file;
  return name.find('/') == name.npos || name.find('$') != name.npos;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

// The library's constructors are code under test.
void* dlopen(const char* file, int mode) noexcept {
  Execution* const execution = Execution::of_caller();
  if (!execution || depends_on_caller(file)) return LOCKSTEP_REAL(dlopen)(file, mode);
  void* const library = LOCKSTEP_REAL(dlopen)(file, mode);
  execution->libraries_changed();
  return library;
}

int dlclose(void* library) noexcept {
  Execution* const execution = Execution::of_caller();
  const int result = LOCKSTEP_REAL(dlclose)(library);
  if (execution) execution->libraries_changed();
  return result;
}

}  // extern "C"

LOCKSTEP_LINKED(libraries)
