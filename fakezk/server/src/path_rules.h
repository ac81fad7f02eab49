#pragma once

#include <string_view>

namespace lockstep::fakezk {

// What the server itself demands of a path it creates or sets (ZooKeeper's
// PathUtils.validatePath): absolute, no empty, "." or ".." component, no control, private-use,
// surrogate or non-BMP character.
[[nodiscard]] bool server_accepts(std::string_view path);

// What it demands of a path it deletes: less.
[[nodiscard]] bool server_can_remove(std::string_view path);

}  // namespace lockstep::fakezk
