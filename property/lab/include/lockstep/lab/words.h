#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/lab/scenario.h"

// Numbers, sizes and faults as reports print them.
namespace lockstep::lab {

// 1234567 as "1 234 567".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 client", "3 clients".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view what);
// "3 clients, 1 round each".
[[nodiscard]] std::string in_words(ScenarioSize size);
// The `--faults` argument for this plan: "all", "none", "cut,expiry:1".
[[nodiscard]] std::string fault_kinds(const fakezk::FaultPlan& plan);
// "no faults", "at most 2 faults per execution (cut, expiry)"; "(all kinds)" are those of "all".
[[nodiscard]] std::string describe_faults(const fakezk::FaultPlan& plan);
// "lag (there is one server)", for kinds that cannot strike; empty if there are none.
[[nodiscard]] std::string describe_impossible(fakezk::FaultKinds impossible);
// Says that an acquire of that contender has failed without a cause.
[[nodiscard]] std::string groundless(std::string_view contender, Error failure);
// All kinds: "cut, expiry".
[[nodiscard]] std::string fault_kind_names();
// Those that "all" leaves out.
[[nodiscard]] std::string named_fault_kind_names();

}  // namespace lockstep::lab
