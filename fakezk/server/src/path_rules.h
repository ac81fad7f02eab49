#pragma once

#include <string_view>

namespace lockstep::fakezk {

// The server's own check of a path that it creates or sets (ZooKeeper's PathUtils.validatePath):
// absolute, no empty, "." or ".." component, no control, private-use, surrogate or non-BMP
// character.
[[nodiscard]] bool server_accepts(std::string_view path);

// The server's weaker check of a path that it deletes.
[[nodiscard]] bool server_can_remove(std::string_view path);

}  // namespace lockstep::fakezk
