#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lockstep/create_mode.h"
#include "lockstep/request.h"
#include "lockstep/transaction.h"

namespace lockstep::internal {

// For backends. True if ZooKeeper's C client takes the path of a create in this mode, or of any
// other operation (then kPersistent): zookeeper.c, isValidPath. It compares characters as signed:
// every byte from 0x80 on passes and is left to the server.
[[nodiscard]] bool client_takes(std::string_view path, CreateMode mode = CreateMode::kPersistent);

// For backends. Why a request is refused before anything is sent; nothing if it may be sent.
// Refused is what the C client refuses itself, and what it would alter or crash on: a malformed
// path in a multi makes it free memory that it does not own (zookeeper.c, zoo_amulti), and a NUL
// ends a text early. `packet_limit`: how long a request may be on the wire. Errors: kBadArguments,
// kInvalidAcl, kUnimplemented (in a multi), kPacketTooLarge.
[[nodiscard]] std::optional<MultiError> refusal_of(const Request& request,
                                                   std::size_t packet_limit);

}  // namespace lockstep::internal
