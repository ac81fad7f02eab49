#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::fakezk {

// A queue that keeps its memory when it runs empty, so that a search that fills and empties it
// millions of times allocates once.
template <class T, class Allocator = std::allocator<T>>
class Fifo {
 public:
  // Whoever takes the last item clears: asked at every step, this divides nothing.
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size() - head_; }
  [[nodiscard]] const T& front() const { return items_[head_]; }
  [[nodiscard]] T& operator[](std::size_t index) { return items_[head_ + index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return items_[head_ + index]; }

  void push(T item) { items_.push_back(std::move(item)); }
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    return items_.emplace_back(std::forward<Arguments>(arguments)...);
  }
  [[nodiscard]] T pop() {
    T item = std::move(items_[head_]);
    ++head_;
    if (head_ == items_.size()) {
      clear();
    } else if (head_ >= kCompactAt && 2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return item;
  }
  // Out of turn.
  [[nodiscard]] T take(std::size_t index) {
    if (index == 0) return pop();
    T item = std::move((*this)[index]);
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(head_ + index));
    return item;
  }
  // Keeps the first `count` items.
  void truncate(std::size_t count) {
    if (count < size()) {
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(head_ + count), items_.end());
    }
    if (size() == 0) clear();
  }
  void clear() noexcept {
    items_.clear();
    head_ = 0;
  }

 private:
  static constexpr std::size_t kCompactAt = 64;
  std::vector<T, Allocator> items_;
  std::size_t head_ = 0;
};

}  // namespace lockstep::fakezk
