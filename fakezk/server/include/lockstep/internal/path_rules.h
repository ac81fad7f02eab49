#pragma once

#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

// The server's own check of a path that it creates or sets (ZooKeeper's PathUtils.validatePath):
// absolute, no empty, "." or ".." component, no control, private-use, surrogate or non-BMP
// character, and no byte that is not UTF-8. It takes no path that the C client refuses.
[[nodiscard]] bool server_accepts(std::string_view path);

// The server's weaker check of a path that it deletes.
[[nodiscard]] bool server_can_remove(std::string_view path);

}  // namespace lockstep::fakezk
