#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::fakezk {

// The next UTF-8 character of `text` at `at`, which moves past it; U+FFFD for malformed bytes, as
// the servers' Java decodes them.
[[nodiscard]] std::uint32_t next_character(std::string_view text, std::size_t& at);

// `text` as the servers store it: malformed UTF-8 has become U+FFFD.
[[nodiscard]] std::string as_java_keeps_it(std::string_view text);

}  // namespace lockstep::fakezk
