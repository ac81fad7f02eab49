#pragma once

namespace lockstep::lab {

// Whether last words have been said: the process ends as soon as that end is explained.
[[nodiscard]] bool has_spoken() noexcept;

}  // namespace lockstep::lab
