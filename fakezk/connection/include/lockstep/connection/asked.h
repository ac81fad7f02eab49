#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/wire/op.h"
#include "lockstep/wire/request.h"

namespace lockstep::connection {

// The part of a request that a connection keeps to encode its reply: replies say neither operation
// nor path.
struct Asked {
  std::int32_t xid = 0;
  wire::Op op{};
  wire::Ustring path{};            // sync: its reply has it
  std::vector<wire::Op> ops{};     // multi, multiRead: the kinds of their results
  bool breaks_off = false;         // multi, multiRead: cannot be read, but gets its first results.
  std::optional<Error> refusal{};  // The answer, if the servers are not asked.
  std::uint64_t auths_before = 0;  // Credentials that the connection has sent before it.
};

}  // namespace lockstep::connection
