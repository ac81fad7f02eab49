#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::search {

// Texts in columns. A width counts characters on the screen, not bytes: names may be UTF-8.
[[nodiscard]] std::size_t width(std::string_view text);
[[nodiscard]] std::size_t widest_line(std::string_view text);
// The length in bytes of the first `most` characters.
[[nodiscard]] std::size_t bytes_of(std::string_view text, std::size_t most);

[[nodiscard]] std::string padded(std::string text, std::size_t to);   // With blanks at its end,
[[nodiscard]] std::string aligned(std::string text, std::size_t to);  // or at its beginning.

// The text on one line, without characters that control a terminal: blanks stand for newlines and
// tabulators, U+FFFD for the others.
[[nodiscard]] std::string printable(std::string_view text);

// Breaks the text into lines of at most `most` characters, at blanks, and within a word that is
// longer than a line. All lines but the first are indented, so `most` has to exceed the indent.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t most);

}  // namespace lockstep::search
