#pragma once

#include <string>
#include <string_view>

namespace lockstep::search {

// The guarantee that an oracle judges: "no lost wakeup" for L1. For an oracle that is no guarantee
// by itself, what has happened: "an exception escaped" for crash. General words for a user's own
// oracle.
[[nodiscard]] std::string_view guarantee(std::string_view oracle);
// The verb for its violation: an execution "breaks" L1, it "fails with" crash.
[[nodiscard]] std::string_view breaks(std::string_view oracle);
// The violation as a headline: "L1 is broken", "crash".
[[nodiscard]] std::string is_broken(std::string_view oracle);
// The guarantee as a sentence about what must hold.
[[nodiscard]] std::string_view guarantee_sentence(std::string_view oracle);

}  // namespace lockstep::search
