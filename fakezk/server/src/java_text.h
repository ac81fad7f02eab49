#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::fakezk {

// The next UTF-8 character of `text` at `at`, which moves past it; U+FFFD for malformed bytes, as
// the servers' Java decodes them (`new String(bytes, UTF_8)`): one for each maximal prefix of a
// character, one for a surrogate, and one for each byte of an overlong form.
[[nodiscard]] std::uint32_t next_character(std::string_view text, std::size_t& at);

// `text` as Java encodes it in UTF-8 again once it has decoded it: malformed UTF-8 becomes U+FFFD.
[[nodiscard]] std::string as_java_reads_it(std::string_view text);

// `text` as the servers store and show it: malformed UTF-8 becomes U+FFFD, and a character above
// U+FFFF two surrogates of three bytes each, since they write UTF-16 units one by one (CESU-8).
[[nodiscard]] std::string as_java_keeps_it(std::string_view text);

}  // namespace lockstep::fakezk
