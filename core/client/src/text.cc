#include "lockstep/text.h"

#include <cstring>
#include <limits>
#include <new>

#include "lockstep/internal/bytes.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/frame_pool.h"

namespace lockstep {

namespace {

// The last `count` bytes (1 to 7) of a text as a little-endian word.
std::uint64_t last_bytes(std::string_view text, std::size_t count) noexcept {
  const char* const end = text.data() + text.size();
  if (text.size() >= 8) return internal::eight_bytes(end - 8) >> (64 - 8 * count);
  std::uint64_t word = 0;
  for (const char* at = end; at != end - count;) {
    word = word << 8 | static_cast<unsigned char>(*--at);
  }
  return word;
}

std::uint64_t fold(std::uint64_t value) noexcept {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ (value >> 32);
}

}  // namespace

std::uint64_t text_hash(std::string_view content) noexcept {
  std::uint64_t hash = content.size();
  const std::size_t rest = content.size() % 8;
  const char* const end = content.data() + (content.size() - rest);
  for (const char* at = content.data(); at != end; at += 8) {
    hash = fold(hash ^ internal::eight_bytes(at));
  }
  if (rest != 0) hash = fold(hash ^ last_bytes(content, rest));
  return fold(hash);
}

// Writes a new text, piece by piece.
class Text::Writer {
 public:
  explicit Writer(std::size_t size)
      : block_(::new(internal::allocate_frame(sizeof(Block) + checked(size) + 1)) Block(size)),
        bytes_(reinterpret_cast<char*>(block_ + 1)),
        end_(bytes_) {}
  void append(std::string_view piece) {
    if (piece.empty()) return;
    std::memcpy(end_, piece.data(), piece.size());
    end_ += piece.size();
  }
  [[nodiscard]] internal::Ref<Block> finish() {
    *end_ = '\0';  // The C client needs it.
    block_->hash = text_hash({bytes_, block_->size});
    return internal::Ref<Block>(block_);
  }

 private:
  static std::size_t checked(std::size_t size) {
    internal::check(size <= std::numeric_limits<std::uint32_t>::max(),
                    "paths and data are shorter than 4 GiB");
    return size;
  }

  Block* block_;
  char* bytes_;
  char* end_;
};

Text::Text(std::string_view content) {
  Writer writer(content.size());
  writer.append(content);
  block_ = writer.finish();
}

Text::Text(std::string_view head, std::string_view tail) {
  Writer writer(head.size() + tail.size());
  writer.append(head);
  writer.append(tail);
  block_ = writer.finish();
}

Text::Text(std::string_view head, std::string_view middle, std::string_view tail) {
  Writer writer(head.size() + middle.size() + tail.size());
  writer.append(head);
  writer.append(middle);
  writer.append(tail);
  block_ = writer.finish();
}

Text::Text(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  Writer writer(size);
  for (const std::string_view piece : pieces) writer.append(piece);
  block_ = writer.finish();
}

void Text::Block::operator delete(Block* block, std::destroying_delete_t) noexcept {
  const std::size_t size = sizeof(Block) + block->size + 1;
  block->~Block();
  internal::release_frame(block, size);
}

}  // namespace lockstep
