#pragma once

#include <cstddef>

#include "lockstep/fakezk/message.h"

namespace lockstep::fakezk {

inline constexpr std::size_t kMostPacketBytes = 0xfffff;

// The length of a message on the wire, without the length itself.
[[nodiscard]] std::size_t packet_bytes(const ClientMessage& message);

// True if the message is longer than a server reads: jute.maxbuffer (NIOServerCnxn.readLength).
[[nodiscard]] inline bool exceeds_packet_limit(const ClientMessage& message) {
  return packet_bytes(message) > kMostPacketBytes;
}
// Most requests are far too short to be worth the counting.
[[nodiscard]] inline bool is_surely_short(const Request& request) {
  return request.plain() &&
         request.path.view().size() + request.data.view().size() < kMostPacketBytes / 2;
}

}  // namespace lockstep::fakezk
