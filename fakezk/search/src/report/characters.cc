#include "report/characters.h"

#include <algorithm>

namespace lockstep::search {

namespace {

// Begins all lines of a text but the first.
constexpr std::string_view kIndent = "     ";
constexpr std::string_view kUnprintable = "\xef\xbf\xbd";  // U+FFFD

bool is_blank(char byte) { return byte == '\n' || byte == '\r' || byte == '\t'; }

// ASCII, or the two bytes of U+0080 to U+009F.
bool controls(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7f) return true;
  if (first != 0xc2 || text.size() < 2) return false;
  const auto second = static_cast<unsigned char>(text[1]);
  return second >= 0x80 && second < 0xa0;
}

}  // namespace

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::size_t widest_line(std::string_view text) {
  std::size_t most = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    most = std::max(most, width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return most;
}

std::size_t bytes_of(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    if ((text[end] & 0xc0) != 0x80 && ++characters > most) break;
  }
  return end;
}

std::string padded(std::string text, std::size_t to) {
  const std::size_t has = width(text);
  if (has < to) text.append(to - has, ' ');
  return text;
}

std::string aligned(std::string text, std::size_t to) {
  const std::size_t has = width(text);
  if (has < to) text.insert(0, to - has, ' ');
  return text;
}

std::string printable(std::string_view text) {
  std::string printed;
  while (!text.empty()) {
    if (is_blank(text.front())) {
      printed += ' ';
    } else if (controls(text)) {
      printed += kUnprintable;
      if (static_cast<unsigned char>(text.front()) == 0xc2) text.remove_prefix(1);
    } else {
      printed += text.front();
    }
    text.remove_prefix(1);
  }
  return printed;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  std::string indent;
  while (width(indent) + width(text) > most) {
    const std::size_t fits = bytes_of(text, most - width(indent));
    const std::size_t blank = text.rfind(' ', fits);
    const std::size_t first_word = text.find_first_not_of("-<>*=!+~ ");
    const bool at_blank = blank != text.npos && first_word != text.npos && blank > first_word;
    const std::size_t end = at_blank ? blank : fits;
    lines.push_back(indent + std::string(text.substr(0, end)));
    text.remove_prefix(at_blank ? end + 1 : end);
    indent = kIndent;
  }
  lines.push_back(indent + std::string(text));
  return lines;
}

}  // namespace lockstep::search
