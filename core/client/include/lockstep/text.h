#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "lockstep/internal/reference_count.h"

namespace lockstep {

// Immutable bytes that are cheap to copy: one allocation, counted references. Paths and data use
// it, so that a backend can return the same text many times without copying it. Safe to copy and
// destroy on several threads. A default-constructed Text is null, which is distinct from empty
// (ZooKeeper distinguishes the two for data).
class Text {
 public:
  Text() noexcept = default;
  explicit Text(std::string_view content);
  // The concatenation of pieces, in one allocation.
  Text(std::string_view head, std::string_view tail);
  Text(std::string_view head, std::string_view middle, std::string_view tail);
  explicit Text(std::initializer_list<std::string_view> pieces);
  Text(const Text& other) noexcept : block_(other.block_) { retain(); }
  Text(Text&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  Text& operator=(Text other) noexcept {
    Block* const mine = block_;
    block_ = other.block_;
    other.block_ = mine;
    return *this;
  }
  ~Text() {
    if (block_) release(block_);
  }

  [[nodiscard]] bool is_null() const noexcept { return block_ == nullptr; }
  [[nodiscard]] std::string_view view() const noexcept;
  // Depends on the content only (equal on every machine and compiler); 0 for null.
  [[nodiscard]] std::uint64_t hash() const noexcept { return block_ ? block_->hash : 0; }

  friend bool operator==(const Text& a, const Text& b) noexcept {
    return a.block_ == b.block_ ||
           (a.is_null() == b.is_null() && a.hash() == b.hash() && a.view() == b.view());
  }

 private:
  struct Block {
    internal::ReferenceCount references;
    std::uint32_t size;
    std::uint64_t hash;
    [[nodiscard]] const char* bytes() const noexcept {
      return reinterpret_cast<const char*>(this + 1);
    }
  };

  class Writer;

  void retain() const noexcept {
    if (block_) block_->references.increment();
  }
  // Two functions: mostly other references are left, and the inlined part then saves no registers.
  static void release(Block* block) noexcept;
  [[gnu::noinline]] static void destroy(Block* block) noexcept;

  Block* block_ = nullptr;
};

inline std::string_view Text::view() const noexcept {
  return block_ ? std::string_view(block_->bytes(), block_->size) : std::string_view();
}

// The hash that Text carries: eight bytes at a time, multiplied and folded (after wyhash).
[[nodiscard]] std::uint64_t text_hash(std::string_view content) noexcept;

}  // namespace lockstep
