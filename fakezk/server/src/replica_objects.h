#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/fakezk/footprint.h"

// What footprints tell apart of the replicas and of the leader's log: steps that touch different
// parts of them can be swapped.
namespace lockstep::fakezk {

// kReplica: how far a replica has come goes by its number; whether it lags or is cut off is this.
[[nodiscard]] constexpr std::uint32_t condition_of(std::uint32_t replica) {
  return 1u << 16 | replica;
}
inline void record_condition(FootprintRecorder& recorder, std::uint32_t replica) {
  recorder.writes(ObjectKind::kReplica, replica);
  recorder.writes(ObjectKind::kReplica, condition_of(replica));
}

// kLog: entries are added at its end, in an order; each is then read where it stands.
inline constexpr std::uint32_t kEndOfLog = 0;
[[nodiscard]] constexpr std::uint32_t entry_of_log(std::size_t entry) {
  return static_cast<std::uint32_t>(entry) + 1;
}

}  // namespace lockstep::fakezk
