#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lockstep/fakezk/fault.h"
#include "lockstep/lab/scenario.h"

namespace lockstep::program {

// 1234567 as "1 234 567".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 client", "3 clients".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view what);
// "3 clients, 1 round each".
[[nodiscard]] std::string in_words(lab::ScenarioSize size);
// 16 hex digits.
[[nodiscard]] std::string hex(std::uint64_t number);
// The `--faults` argument for this plan: "all", "none", "cut,expiry:1".
[[nodiscard]] std::string fault_kinds(const fakezk::FaultPlan& plan);
// "no faults", "at most 2 faults per execution (cut, expiry)".
[[nodiscard]] std::string describe_faults(const fakezk::FaultPlan& plan);
// All kinds: "cut, expiry".
[[nodiscard]] std::string fault_kind_names();
// Those that "all" leaves out.
[[nodiscard]] std::string named_fault_kind_names();

// Prints one JSON object as one line.
void print_json(const nlohmann::ordered_json& object);

}  // namespace lockstep::program
