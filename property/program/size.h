#pragma once

#include <cstdint>

#include "lockstep/lab/scenario.h"

namespace lockstep::program {

// How large a scenario may be made. All rounds of all clients together must stay well below the
// step cap of an execution, or a long one would be taken for a livelock.
inline constexpr std::uint32_t kMostClients = 64;
inline constexpr std::uint32_t kMostRounds = 100;
inline constexpr std::uint32_t kMostRoundsInAll = 640;

// How many executions a hunt may have, and where its first one may be.
inline constexpr std::uint64_t kMostExecutions = 1'000'000'000'000;

[[nodiscard]] constexpr bool possible(lab::ScenarioSize size) {
  return size.clients >= 1 && size.clients <= kMostClients && size.rounds >= 1 &&
         size.rounds <= kMostRounds && size.clients * size.rounds <= kMostRoundsInAll;
}

}  // namespace lockstep::program
