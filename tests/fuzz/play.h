#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::fuzz {

// How one input went.
struct Played {
  std::string complaint;  // The first thing that must not be; empty if there is none.
  std::uint64_t trace_hash = 0;
  std::uint32_t answered = 0;  // Requests that came to an end.
  std::uint64_t checked = 0;   // Reads and events that were held against the history.
};

// Decodes the bytes into a program of up to three clients of the fake and a schedule with faults,
// and runs it: every request ends once, in the order of sending, nothing throws, and what clients
// receive is what ZooKeeper guarantees (GuaranteeChecker; not with ACLs, which hide from it).
Played play(std::span<const std::uint8_t> input);

}  // namespace lockstep::fuzz
