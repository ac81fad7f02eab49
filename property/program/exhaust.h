#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "search.h"

// Prints the results of an exhaustive search: the report must have `exhaustive`.
namespace lockstep::program {

[[nodiscard]] nlohmann::ordered_json exhaustive_as_json(const HuntCommand& what,
                                                        const lab::HuntReport& report);
// For a search without a violation.
void print_how_far(const HuntCommand& what, const lab::HuntReport& report);

}  // namespace lockstep::program
