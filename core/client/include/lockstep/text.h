#pragma once

#include <cstdint>
#include <initializer_list>
#include <new>
#include <string_view>

#include "lockstep/internal/ref.h"

namespace lockstep {

// Immutable bytes that are cheap to copy: one allocation, counted references. Paths and data use
// it, so that a backend can return the same text many times without copying it. Shorter than 4 GiB
// (checked). Safe to copy and destroy on several threads. A default-constructed Text is null, which
// is distinct from empty (ZooKeeper distinguishes the two for data).
class Text {
 public:
  Text() noexcept = default;
  explicit Text(std::string_view content);
  // The concatenation of pieces, in one allocation.
  Text(std::string_view head, std::string_view tail);
  Text(std::string_view head, std::string_view middle, std::string_view tail);
  explicit Text(std::initializer_list<std::string_view> pieces);

  [[nodiscard]] bool is_null() const noexcept { return !block_; }
  [[nodiscard]] std::string_view view() const noexcept;
  // Depends on the content only (equal on every machine and compiler); 0 for null.
  [[nodiscard]] std::uint64_t hash() const noexcept { return block_ ? block_->hash : 0; }

  friend bool operator==(const Text& a, const Text& b) noexcept {
    return a.block_ == b.block_ ||
           (a.is_null() == b.is_null() && a.hash() == b.hash() && a.view() == b.view());
  }

 private:
  // The bytes follow it in the same allocation.
  class Block : public internal::Counted {
   public:
    explicit Block(std::size_t length) noexcept : size(static_cast<std::uint32_t>(length)) {}
    // Frees the bytes as well, so `delete` destroys the block itself.
    static void operator delete(Block* block, std::destroying_delete_t) noexcept;
    [[nodiscard]] const char* bytes() const noexcept {
      return reinterpret_cast<const char*>(this + 1);
    }

    const std::uint32_t size;
    std::uint64_t hash = 0;
  };

  class Writer;

  internal::Ref<Block> block_;
};

inline std::string_view Text::view() const noexcept {
  return block_ ? std::string_view(block_->bytes(), block_->size) : std::string_view();
}

// The hash that Text carries: eight bytes at a time, multiplied and folded (after wyhash).
[[nodiscard]] std::uint64_t text_hash(std::string_view content) noexcept;

}  // namespace lockstep
