#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::fakezk {

// The next UTF-8 character of `text` from `at` on, which moves past it; U+FFFD for bytes that are
// none, as the servers' Java decodes them.
[[nodiscard]] std::uint32_t next_character(std::string_view text, std::size_t& at);

// `text` as the servers keep it: what is no UTF-8 has become U+FFFD.
[[nodiscard]] std::string as_java_keeps_it(std::string_view text);

}  // namespace lockstep::fakezk
