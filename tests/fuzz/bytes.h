#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::fuzz {

// Reads decisions from a fuzzer's input. Any bytes are valid, and missing ones read as zeros.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  // A number below `options`.
  std::uint32_t below(std::size_t options) { return static_cast<std::uint32_t>(next() % options); }
  template <class T, std::size_t kSize>
  const T& one_of(const T (&list)[kSize]) {
    return list[below(kSize)];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace lockstep::fuzz
