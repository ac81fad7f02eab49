#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "lockstep/internal/pool_allocator.h"

namespace lockstep::internal {

// A list with built-in room for a few elements, so that a short one does not allocate. Its elements
// are trivially copyable. Does not move.
template <class T, std::size_t kFew>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ShortList() noexcept : elements_(few_) {}
  ShortList(const ShortList&) = delete;
  ShortList& operator=(const ShortList&) = delete;
  ~ShortList() {
    if (room_ > kFew) release();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return elements_; }
  [[nodiscard]] const T* data() const noexcept { return elements_; }
  [[nodiscard]] T* begin() noexcept { return elements_; }
  [[nodiscard]] T* end() noexcept { return elements_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return elements_; }
  [[nodiscard]] const T* end() const noexcept { return elements_ + size_; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return elements_[index]; }

  void clear() noexcept { size_ = 0; }
  // Makes room for this many elements in total.
  void reserve(std::size_t room) {
    if (room > room_) [[unlikely]]
      grow(room);
  }
  // For an empty list: appends make(element) for each element of `range`.
  template <class Range, class Make>
  void fill(const Range& range, Make make) {
    reserve(range.size());
    T* end = elements_;
    for (const auto& element : range) std::construct_at(end++, make(element));
    size_ = range.size();
  }
  void push_back(const T& element) {
    if (size_ == room_) [[unlikely]]
      return push_into_more_room(element);
    std::construct_at(elements_ + size_++, element);
  }

 private:
  [[gnu::noinline]] void grow(std::size_t room) {
    T* const larger = PoolAllocator<T>().allocate(room);
    std::uninitialized_copy(begin(), end(), larger);
    if (room_ > kFew) release();
    elements_ = larger;
    room_ = room;
  }
  // By value, because the argument may be an element that moves.
  [[gnu::noinline]] void push_into_more_room(T element) {
    grow(2 * room_);
    std::construct_at(elements_ + size_++, element);
  }
  [[gnu::noinline]] void release() noexcept { PoolAllocator<T>().deallocate(elements_, room_); }

  T* elements_;
  std::size_t size_ = 0;
  std::size_t room_ = kFew;
  union {
    T few_[kFew];  // Elements are not constructed before they are added.
  };
};

}  // namespace lockstep::internal
