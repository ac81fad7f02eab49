#pragma once

namespace lockstep::lab {

// Whether last words have been printed: the process ends as soon as that end is explained.
[[nodiscard]] bool has_spoken() noexcept;

}  // namespace lockstep::lab
