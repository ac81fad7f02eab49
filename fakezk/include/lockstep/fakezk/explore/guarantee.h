#pragma once

#include <string_view>

namespace lockstep::fakezk {

// What an oracle stands for: "no lost wakeup" for L1. Something general for a user's own.
[[nodiscard]] std::string_view guarantee(std::string_view oracle);
// The same as a sentence that says what ought to hold.
[[nodiscard]] std::string_view guarantee_sentence(std::string_view oracle);

}  // namespace lockstep::fakezk
