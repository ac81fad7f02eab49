#pragma once

#include <cstddef>

#include "lockstep/request.h"

namespace lockstep {

// The length of a request on the wire, without the length field itself: the number that a server
// compares with its jute.maxbuffer (NIOServerCnxn.readLength).
[[nodiscard]] std::size_t packet_bytes(const Request& request);

// A cheap check first: most requests are so short that an exact count would be wasted. True if the
// request may be longer than `limit`: it has more than a path and data, or these are nearly as
// long.
[[nodiscard]] inline bool may_exceed(const Request& request, std::size_t limit) {
  constexpr std::size_t kAround = 64;  // Header, lengths, an open ACL, flags.
  return !request.plain() ||
         request.path.view().size() + request.data.view().size() + kAround > limit;
}
[[nodiscard]] inline bool exceeds(const Request& request, std::size_t limit) {
  return may_exceed(request, limit) && packet_bytes(request) > limit;
}

}  // namespace lockstep
