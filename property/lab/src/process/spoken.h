#pragma once

namespace lockstep::lab {

// Whether last words have been printed: the process ends as soon as that end is explained.
[[nodiscard]] bool last_words_begun() noexcept;

}  // namespace lockstep::lab
