#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lockstep/lab/words.h"
#include "lockstep/search/judgements.h"

namespace lockstep::program {

using lab::counted;
using lab::describe_faults;
using lab::fault_kind_names;
using lab::fault_kinds;
using lab::grouped;
using lab::in_words;
using lab::named_fault_kind_names;

// 16 hex digits.
[[nodiscard]] std::string hex(std::uint64_t number);
// Prints one JSON object as one line.
void print_json(const nlohmann::ordered_json& object);

// How often each guarantee was judged, by name.
[[nodiscard]] nlohmann::ordered_json as_json(const search::Judgements& judged);

}  // namespace lockstep::program
