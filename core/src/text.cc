#include "lockstep/text.h"

#include <cstring>
#include <new>

#include "lockstep/internal/frame_pool.h"

namespace lockstep {

Text::Text(std::string_view content) : Text(content, std::string_view()) {}

Text::Text(std::string_view head, std::string_view tail) {
  const std::size_t size = head.size() + tail.size();
  block_ = ::new (internal::allocate_frame(sizeof(Block) + size + 1)) Block;
  char* const bytes = reinterpret_cast<char*>(block_ + 1);
  if (!head.empty()) std::memcpy(bytes, head.data(), head.size());
  if (!tail.empty()) std::memcpy(bytes + head.size(), tail.data(), tail.size());
  bytes[size] = '\0';  // For the C client.
  block_->size = static_cast<std::uint32_t>(size);
  block_->hash = text_hash(tail, text_hash(head));
}

void Text::destroy(Block* block) noexcept {
  const std::size_t size = sizeof(Block) + block->size + 1;
  block->~Block();
  internal::release_frame(block, size);
}

}  // namespace lockstep
