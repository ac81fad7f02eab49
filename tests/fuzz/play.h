#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::fuzz {

// The result of one input.
struct Played {
  std::string complaint;  // The first error; empty if there is none.
  std::uint64_t trace_hash = 0;
  std::uint32_t answered = 0;  // Finished requests.
  std::uint64_t checked = 0;   // Reads and events compared with the history.
};

// Decodes the bytes into a program of up to three clients of the fake and a schedule with faults,
// and runs it. Every request must end once, in the order of sending, nothing may throw, and clients
// must receive what ZooKeeper guarantees (GuaranteeChecker; not with ACLs, which hide changes from
// it).
Played play(std::span<const std::uint8_t> input);

}  // namespace lockstep::fuzz
