#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::connection {

// The result of playing arbitrary bytes on connections.
struct Played {
  std::string complaint;   // The first error; empty if there is none.
  std::size_t frames = 0;  // Frames sent by servers.
  std::size_t opened = 0;  // Connections with an established session.
};

// Plays bytes as clients on four links of one or three servers: they greet, ask, send arbitrary
// bytes in fragments, hang up and come back over the same link, while the world proceeds and its
// clock jumps. All that servers send must be frames of the protocol, at most one reply per request,
// in order and of the right kind, and nothing after the end. Finally the servers must still serve
// another client.
[[nodiscard]] Played play(std::span<const std::uint8_t> input);

}  // namespace lockstep::connection
