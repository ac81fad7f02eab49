#pragma once

#include <string>
#include <string_view>

namespace lockstep::fakezk {

// base64(sha1(text)), as in the ids of the scheme "digest".
[[nodiscard]] std::string sha1_base64(std::string_view text);

}  // namespace lockstep::fakezk
