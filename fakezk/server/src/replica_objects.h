#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/fakezk/footprint.h"

// The parts of the replicas and of the leader's log that footprints distinguish: steps that touch
// different parts can be swapped.
namespace lockstep::fakezk {

// kReplica: the replica's number is its position in the log; this is whether it lags or is cut off.
[[nodiscard]] constexpr std::uint32_t condition_of(std::uint32_t replica) {
  return 1u << 16 | replica;
}
inline void record_condition(FootprintRecorder& recorder, std::uint32_t replica) {
  recorder.writes(ObjectKind::kReplica, replica);
  recorder.writes(ObjectKind::kReplica, condition_of(replica));
}

// kLog: entries are appended at its end, in order; each is later read at its own position.
inline constexpr std::uint32_t kEndOfLog = 0;
[[nodiscard]] constexpr std::uint32_t entry_of_log(std::size_t entry) {
  return static_cast<std::uint32_t>(entry) + 1;
}

}  // namespace lockstep::fakezk
