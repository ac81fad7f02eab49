#pragma once

#include <optional>
#include <string_view>

#include "lockstep/fakezk/path_table.h"
#include "lockstep/request.h"
#include "lockstep/transaction.h"

namespace lockstep::fake {

// ZooKeeper's C client refuses malformed paths before it sends anything (zookeeper.c, isValidPath).
// Characters are compared as signed: every byte from 0x80 on passes and is left to the server.
[[nodiscard]] bool client_accepts(std::string_view path, bool sequential);

// Why the client itself answers a request, and does not send it; nothing if it does. `met` are
// paths that the servers have met.
[[nodiscard]] std::optional<MultiError> client_refusal(const Request& request,
                                                       const fakezk::PathTable& met);

}  // namespace lockstep::fake
