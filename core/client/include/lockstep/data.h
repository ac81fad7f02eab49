#pragma once

#include <string_view>
#include <utility>

#include "lockstep/text.h"

namespace lockstep {

// The data of a znode: bytes, or null. ZooKeeper keeps null and empty apart (a null is stored and
// returned as null), and so does this type. Cheap to copy, immutable.
class Data {
 public:
  Data() noexcept = default;                                   // null
  Data(const char* bytes) : text_(std::string_view(bytes)) {}  // NOLINT: literals are data
  Data(std::string_view bytes) : text_(bytes) {}               // NOLINT: so are views
  explicit Data(Text text) noexcept : text_(std::move(text)) {}

  [[nodiscard]] bool is_null() const noexcept { return text_.is_null(); }
  [[nodiscard]] std::string_view view() const noexcept { return text_.view(); }
  [[nodiscard]] const Text& text() const noexcept { return text_; }

  friend bool operator==(const Data& a, const Data& b) noexcept = default;

 private:
  Text text_;
};

}  // namespace lockstep
