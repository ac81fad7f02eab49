#include "lockstep/text.h"

#include <bit>
#include <cstring>
#include <new>

#include "lockstep/internal/frame_pool.h"

namespace lockstep {

namespace {

// Little-endian whatever the machine, so that the hash is the same everywhere.
std::uint64_t word(const char* bytes, std::size_t count) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
  }
  return value;
}

std::uint64_t fold(std::uint64_t value) noexcept {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ (value >> 32);
}

}  // namespace

std::uint64_t text_hash(std::string_view content) noexcept {
  std::uint64_t hash = content.size();
  std::size_t at = 0;
  for (; at + 8 <= content.size(); at += 8) hash = fold(hash ^ word(content.data() + at, 8));
  if (at < content.size()) hash = fold(hash ^ word(content.data() + at, content.size() - at));
  return fold(hash);
}

Text::Text(std::string_view content) : Text(content, {}, {}) {}

Text::Text(std::string_view head, std::string_view tail) : Text(head, {}, tail) {}

Text::Text(std::string_view head, std::string_view middle, std::string_view tail) {
  const std::size_t size = head.size() + middle.size() + tail.size();
  block_ = ::new (internal::allocate_frame(sizeof(Block) + size + 1)) Block;
  char* const bytes = reinterpret_cast<char*>(block_ + 1);
  char* end = bytes;
  for (const std::string_view piece : {head, middle, tail}) {
    if (piece.empty()) continue;
    std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  *end = '\0';  // For the C client.
  block_->size = static_cast<std::uint32_t>(size);
  block_->hash = text_hash({bytes, size});
}

void Text::destroy(Block* block) noexcept {
  const std::size_t size = sizeof(Block) + block->size + 1;
  block->~Block();
  internal::release_frame(block, size);
}

}  // namespace lockstep
