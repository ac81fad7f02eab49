#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::connection {

// The outcome of arbitrary bytes that were played on connections.
struct Played {
  std::string complaint;   // What is wrong; empty if nothing is.
  std::size_t frames = 0;  // That servers have sent.
  std::size_t opened = 0;  // Connections whose session was established.
};

// Reads bytes as what clients on four links of one or three servers do: greet, ask, send any bytes
// in fragments, hang up, come back over the same link; while the world lets things happen, and its
// clock jumps. All that servers send must be frames of the protocol, at most one reply for each
// request, in their order and of its kind, and nothing after the end; and in the end they must
// still serve another client.
[[nodiscard]] Played play(std::span<const std::uint8_t> input);

}  // namespace lockstep::connection
