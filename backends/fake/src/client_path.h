#pragma once

#include <string_view>

namespace lockstep::fake {

// What ZooKeeper's C client demands of a path before it sends anything (zookeeper.c,
// isValidPath): absolute, no empty, "." or ".." component, no control character; a sequential
// create may end in any of them, because the server appends a number.
[[nodiscard]] bool client_accepts(std::string_view path, bool sequential);

}  // namespace lockstep::fake
