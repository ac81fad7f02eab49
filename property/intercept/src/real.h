#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lockstep/intercept/thread_sanitizer.h"

// The attributes of libc's declarations are no part of a function's type.
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace lockstep::intercept {

// Finds the next definition of a function after this program's own: libc's, or a sanitizer's.
template <class Function>
class Real {
 public:
  // Some functions have an old version with another layout of their arguments.
  explicit constexpr Real(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}

  [[nodiscard]] Function* get() {
    Function* found = found_.load(std::memory_order_relaxed);
    if (!found) [[unlikely]]
      found = find();
    return found;
  }

 private:
  Function* find() {
    void* address = sanitizers();
    if (!address && version_ && __tsan_acquire) address = thread_sanitizers();
    if (!address)
      address = version_ ? ::dlvsym(RTLD_NEXT, name_, version_) : ::dlsym(RTLD_NEXT, name_);
    if (!address) std::abort();
    auto* const found = reinterpret_cast<Function*>(address);
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  // A sanitizer's runtime that is linked into the program has its own definition under this name,
  // beside the one that this library has replaced. Use it only for functions that the runtime must
  // not miss: a failed lookup allocates, and the runtime calls other functions while it allocates.
  [[nodiscard]] void* sanitizers() const {
    const std::string_view own = name_;
    if (own != "pthread_create" && own != "pthread_join" && own != "pthread_detach") return nullptr;
    char name[96];
    const int length = std::snprintf(name, sizeof name, "___interceptor_%s", name_);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof name) return nullptr;
    return ::dlsym(RTLD_DEFAULT, name);
  }

  // ThreadSanitizer's library has no versions.
  [[nodiscard]] void* thread_sanitizers() const {
    char name[96];
    std::snprintf(name, sizeof name, "__interceptor_%s", name_);
    return ::dlsym(RTLD_DEFAULT, name);
  }

  const char* name_;
  const char* version_;
  std::atomic<Function*> found_ = nullptr;
};

}  // namespace lockstep::intercept

// Calls the real function: LOCKSTEP_REAL(close)(file).
#define LOCKSTEP_REAL(function)                                                         \
  ([]() noexcept {                                                                      \
    static constinit ::lockstep::intercept::Real<decltype(::function)> real(#function); \
    return real.get();                                                                  \
  }())
#define LOCKSTEP_REAL_VERSION(function, version)                                                 \
  ([]() noexcept {                                                                               \
    static constinit ::lockstep::intercept::Real<decltype(::function)> real(#function, version); \
    return real.get();                                                                           \
  }())
