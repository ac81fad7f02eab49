#pragma once

#include <string>
#include <string_view>

namespace lockstep::search {

// What an oracle stands for: "no lost wakeup" for L1. Of an oracle that is no guarantee by itself
// it is what has happened: "an exception escaped" for crash; something general for a user's own.
[[nodiscard]] std::string_view guarantee(std::string_view oracle);
// What an execution does to it: it "breaks" L1, it "fails with" crash.
[[nodiscard]] std::string_view breaks(std::string_view oracle);
// The same as a headline: "L1 is broken", "crash".
[[nodiscard]] std::string is_broken(std::string_view oracle);
// The guarantee as a sentence that says what ought to hold.
[[nodiscard]] std::string_view guarantee_sentence(std::string_view oracle);

}  // namespace lockstep::search
