#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/search/chronicle.h"

namespace lockstep::program {

// The screen for text. A terminal has a width, and colours unless NO_COLOR is set or TERM is
// "dumb". A file has neither, so piped and kept output is plain.
class Screen {
 public:
  // Standard output. COLUMNS in the environment overrides the terminal's own width.
  [[nodiscard]] static Screen output();
  Screen(bool coloured, std::optional<std::size_t> columns)
      : coloured_(coloured), columns_(columns) {}

  [[nodiscard]] std::string bad(std::string_view text) const { return painted(text, "1;31"); }
  [[nodiscard]] std::string good(std::string_view text) const { return painted(text, "1;32"); }
  [[nodiscard]] std::string warning(std::string_view text) const { return painted(text, "33"); }
  [[nodiscard]] std::string strong(std::string_view text) const { return painted(text, "1"); }

  // The lanes of an execution, and the meaning of their marks. `drawn` is the report's picture of
  // the lanes; they are drawn again if the screen is too narrow for it.
  [[nodiscard]] std::string lanes(const search::Chronicle& chronicle,
                                  const std::string& drawn) const;

 private:
  [[nodiscard]] std::string with_colours(const std::string& lanes) const;
  [[nodiscard]] std::string painted(std::string_view text, std::string_view how) const;

  bool coloured_;
  std::optional<std::size_t> columns_;
};

}  // namespace lockstep::program
