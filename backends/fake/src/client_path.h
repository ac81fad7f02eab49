#pragma once

#include <optional>
#include <string_view>

#include "lockstep/request.h"
#include "lockstep/transaction.h"

namespace lockstep::fake {

// ZooKeeper's C client refuses malformed paths before it sends anything (zookeeper.c, isValidPath).
// Characters are compared as signed: every byte from 0x80 on passes and is left to the server.
[[nodiscard]] bool client_accepts(std::string_view path, bool sequential);

// What nearly every request is like: there is nothing in it but its path that a client could
// refuse. (Of a watch that is to be taken back it may know nothing.)
[[nodiscard]] inline bool is_plain(const Request& request) {
  return request.plain() && !has_ttl(request.mode) && request.op != OpCode::kCheckWatches;
}

// Why the client itself answers a request, and does not send it; nothing if it does.
[[nodiscard]] std::optional<MultiError> client_refusal(const Request& request);

}  // namespace lockstep::fake
