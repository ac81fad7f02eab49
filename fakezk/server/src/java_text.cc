#include "java_text.h"

namespace lockstep::fakezk {

namespace {

constexpr std::uint32_t kReplacementCharacter = 0xfffd;

// The meaning of a multi-byte character's first byte: how many bytes follow, its own bits, and the
// range of the second byte, which excludes overlong forms.
struct Lead {
  std::size_t more = 0;  // 0: no character begins with this byte.
  std::uint32_t bits = 0;
  unsigned char least = 0x80;
  unsigned char most = 0xbf;
};

Lead lead_of(unsigned char first) {
  if (first >= 0xc2 && first < 0xe0) return {.more = 1, .bits = first & 0x1fU};
  if (first == 0xe0) return {.more = 2, .bits = 0, .least = 0xa0};
  if (first > 0xe0 && first < 0xf0) return {.more = 2, .bits = first & 0x0fU};
  if (first == 0xf0) return {.more = 3, .bits = 0, .least = 0x90};
  if (first > 0xf0 && first < 0xf4) return {.more = 3, .bits = first & 0x07U};
  if (first == 0xf4) return {.more = 3, .bits = 4, .most = 0x8f};
  return {};
}

// Appends one UTF-16 unit as BinaryOutputArchive.stringToByteBuffer writes it.
void append_unit(std::uint32_t unit, std::string& text) {
  if (unit < 0x80) {
    text += static_cast<char>(unit);
    return;
  }
  if (unit < 0x800) {
    text += static_cast<char>(0xc0 | unit >> 6);
  } else {
    text += static_cast<char>(0xe0 | unit >> 12);
    text += static_cast<char>(0x80 | (unit >> 6 & 0x3f));
  }
  text += static_cast<char>(0x80 | (unit & 0x3f));
}

bool is_surrogate(std::uint32_t character) { return character >= 0xd800 && character < 0xe000; }

}  // namespace

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const Lead lead = lead_of(first);
  if (lead.more == 0) return kReplacementCharacter;
  std::uint32_t value = lead.bits;
  for (std::size_t i = 0; i < lead.more; ++i) {
    const unsigned char least = i == 0 ? lead.least : 0x80;
    const unsigned char most = i == 0 ? lead.most : 0xbf;
    if (at >= text.size() || byte(at) < least || byte(at) > most) return kReplacementCharacter;
    value = value << 6 | (byte(at++) & 0x3f);
  }
  return is_surrogate(value) ? kReplacementCharacter : value;
}

std::string as_java_reads_it(std::string_view text) {
  std::string read;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const std::uint32_t character = next_character(text, at);
    if (character == kReplacementCharacter) {
      append_unit(character, read);
    } else {
      read += text.substr(from, at - from);
    }
  }
  return read;
}

std::string as_java_keeps_it(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = next_character(text, at);
    if (character < 0x10000) {
      append_unit(character, kept);
    } else {
      append_unit(0xd7c0 + (character >> 10), kept);
      append_unit(0xdc00 + (character & 0x3ff), kept);
    }
  }
  return kept;
}

}  // namespace lockstep::fakezk
