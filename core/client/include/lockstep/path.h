#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lockstep/text.h"

namespace lockstep {

// The absolute path of a znode, as text. Cheap to copy, immutable, thread-safe to share.
// Not validated here: a backend answers kBadArguments exactly where ZooKeeper's client or server
// does (ZooKeeper Programmer's Guide, "The ZooKeeper Data Model").
class Path {
 public:
  Path() : Path(std::string_view("/")) {}
  Path(const char* text) : text_(std::string_view(text)) {}         // NOLINT: literals are paths
  Path(const std::string& text) : text_(std::string_view(text)) {}  // NOLINT: so are strings
  Path(std::string_view text) : text_(text) {}                      // NOLINT
  explicit Path(Text text) noexcept : text_(std::move(text)) {}

  [[nodiscard]] std::string_view view() const noexcept { return text_.view(); }
  [[nodiscard]] std::string string() const { return std::string(view()); }
  [[nodiscard]] const Text& text() const noexcept { return text_; }

  // The last component; empty for the root and for a null path.
  [[nodiscard]] std::string_view name() const noexcept {
    return text_.is_null() ? std::string_view() : last_component();
  }
  // The path without its last component; the root is its own parent.
  [[nodiscard]] Path parent() const;

  friend bool operator==(const Path& a, const Path& b) noexcept = default;

 private:
  [[nodiscard]] std::string_view last_component() const noexcept;

  Text text_;
};

// The path of the child `name` of `parent`.
[[nodiscard]] Path operator/(const Path& parent, std::string_view name);

}  // namespace lockstep
