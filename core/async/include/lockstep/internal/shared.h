#pragma once

#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/ref.h"

namespace lockstep::internal {

// A constant that several owners share, or nothing; one pointer wide. It suits the rarely used
// parts of values that are moved often.
template <class T>
class Shared {
 public:
  Shared() noexcept = default;
  explicit Shared(T value) : block_(Ref<Block>::make(std::move(value))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(block_); }
  [[nodiscard]] const T& operator*() const noexcept { return block_->value; }
  [[nodiscard]] const T* operator->() const noexcept { return &block_->value; }
  // Not defaulted: Clang would then look into a T that is still incomplete.
  friend bool operator==(const Shared& a, const Shared& b) noexcept { return a.block_ == b.block_; }

 private:
  struct Block : Pooled, Counted {
    explicit Block(T content) : value(std::move(content)) {}
    T value;
  };

  Ref<Block> block_;
};

}  // namespace lockstep::internal
