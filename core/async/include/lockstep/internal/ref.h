#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <utility>

#include "lockstep/internal/language.h"

namespace lockstep::internal {

template <class T>
class Ref;

// The base of an object that Refs own. It counts its owners, which may be on several threads.
class Counted {
 public:
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  // Whether the owner that asks is the only one. Then it sees everything that other owners did with
  // the object.
  [[nodiscard]] bool has_one_owner() const noexcept {
    return owners_.load(std::memory_order_acquire) == 1;
  }

 protected:
  Counted() noexcept = default;
  ~Counted() = default;

 private:
  template <class T>
  friend class Ref;

  void add_owner() const noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true to the owner that must destroy the object. An only owner need not count: there is
  // no other that could copy its Ref meanwhile.
  [[nodiscard]] bool drop_owner() const noexcept {
    return has_one_owner() || owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  mutable std::atomic<std::uint32_t> owners_{1};
};

// One owner of a counted object, or of none: the only place where the library counts owners. The
// last one deletes the object. A copy is another owner. T derives from Counted; one pointer wide.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  // Becomes the first owner of a new object.
  explicit Ref(T* created) noexcept : object_(created) {}
  template <class... Arguments>
  [[nodiscard]] static Ref make(Arguments&&... arguments) {
    return Ref(new T(std::forward<Arguments>(arguments)...));
  }

  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->add_owner();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  // An owner of a derived object is an owner of its base.
  template <class Derived>
    requires(!std::same_as<Derived, T> && std::derived_from<Derived, T>)
  Ref(Ref<Derived> other) noexcept  // NOLINT(google-explicit-constructor): as pointers convert
      : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) drop(object_);
  }

  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
  [[nodiscard]] T* get() const noexcept { return object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

 private:
  template <class Other>
  friend class Ref;

  // Two functions, not inlined: other owners are mostly left, and then no registers need saving.
  [[gnu::noinline]] static void drop(T* object) noexcept {
    if (object->drop_owner()) [[unlikely]] {
      destroy(object);
    }
  }
  [[gnu::noinline]] static void destroy(T* object) noexcept { delete object; }

  T* object_ = nullptr;
};

}  // namespace lockstep::internal
