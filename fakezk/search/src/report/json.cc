#include "report/json.h"

#include <cstddef>

namespace lockstep::search {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

constexpr bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool too_large = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::number(std::int64_t value) {
  separate();
  text_ += std::to_string(value);
}

void JsonWriter::null() {
  separate();
  text_ += "null";
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  comma_ = false;
}

void JsonWriter::close(char bracket) {
  text_ += bracket;
  comma_ = true;
}

void JsonWriter::separate() {
  if (comma_) text_ += ',';
  comma_ = true;
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    const char byte = text.front();
    const bool control = static_cast<unsigned char>(byte) < 0x20 || byte == '\x7f';
    if (length == 0) {
      text_ += kReplacement;
    } else if (control || byte == '"' || byte == '\\' || byte == '<' || byte == '>' ||
               byte == '&') {
      text_ += "\\u00";
      text_ += kHexDigits[static_cast<unsigned char>(byte) >> 4];
      text_ += kHexDigits[static_cast<unsigned char>(byte) & 0xf];
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace lockstep::search
