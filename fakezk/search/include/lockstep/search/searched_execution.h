#pragma once

#include <cstdint>

#include "lockstep/internal/language.h"

namespace lockstep::search {

inline constexpr std::uint64_t kNoExecution = ~std::uint64_t{0};

// The index of the execution that a Searcher last began on this thread; kNoExecution before the
// first one. For signal handlers, too. A thread_local variable.
[[nodiscard]] const std::uint64_t& searched_execution() noexcept;

}  // namespace lockstep::search
