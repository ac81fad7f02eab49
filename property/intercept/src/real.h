#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lockstep/intercept/thread_sanitizer.h"

// GCC warns that the type of a function of libc, as a template argument, loses its attributes.
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace lockstep::intercept {

// Finds the next definition of a function after this program's own: libc's, or a sanitizer's.
template <class Function>
class Real {
 public:
  // `version`: for functions that have an old version too, with another layout of their arguments.
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

  // Finds a sanitizer's definition in a runtime that is linked into the program, where this library
  // replaces only the function's usual name. Looks up only functions that the runtime must see: a
  // failed lookup allocates memory, and the runtime calls other functions while it allocates.
  [[nodiscard]] void* sanitizers() const {
    const std::string_view own = name_;
    if (own != "pthread_create" && own != "pthread_join" && own != "pthread_detach") return nullptr;
    char name[96];
    const int length = std::snprintf(name, sizeof name, "___interceptor_%s", name_);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof name) return nullptr;
    return ::dlsym(RTLD_DEFAULT, name);
  }

  // Finds ThreadSanitizer's definition, which has no version, so that dlvsym() would pass it over.
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

// The real function, to be called like LOCKSTEP_REAL(close)(file).
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
