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
// Spares most requests the exact count: they are far too short. No path is longer than
// `longest_path`.
[[nodiscard]] inline bool is_surely_short(const Request& request, std::size_t longest_path) {
  constexpr std::size_t kShort = kMostPacketBytes / 4;
  if (!request.plain() || longest_path > kShort) return false;
  return request.data.is_null() || request.data.view().size() < kShort;
}

}  // namespace lockstep::fakezk
