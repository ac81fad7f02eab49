#pragma once

#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/reference_count.h"

namespace lockstep::internal {

// A constant that several owners share, or nothing: one pointer wide, and counted with
// ReferenceCount. For the rarely used parts of values that are moved often.
template <class T>
class Shared {
 public:
  Shared() noexcept = default;
  explicit Shared(T value) : block_(new Block(std::move(value))) {}
  Shared(const Shared& other) noexcept : block_(other.block_) {
    if (block_) block_->references.increment();
  }
  Shared(Shared&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Shared() {
    if (block_) release();
  }

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] const T& operator*() const noexcept { return block_->value; }
  [[nodiscard]] const T* operator->() const noexcept { return &block_->value; }
  friend bool operator==(const Shared& a, const Shared& b) noexcept { return a.block_ == b.block_; }

 private:
  struct Block : Pooled {
    explicit Block(T content) : value(std::move(content)) {}
    T value;
    ReferenceCount references;
  };
  [[gnu::noinline]] void release() noexcept {
    if (block_->references.decrement_is_last()) destroy(block_);
  }
  [[gnu::noinline]] static void destroy(Block* block) noexcept { delete block; }

  Block* block_ = nullptr;
};

}  // namespace lockstep::internal
