#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::program {

// The names that `word` may have meant, likeliest first, at most four: those that begin with it,
// else those one or two slips away, else those that contain it.
[[nodiscard]] std::vector<std::string_view> nearest(std::string_view word,
                                                    std::span<const std::string_view> names);

// "; did you mean 'fair-mutex' or 'unfair-mutex'?", or nothing if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> names);

}  // namespace lockstep::program
