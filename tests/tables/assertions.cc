// assertion_table: under which faults which guarantee is asserted, as a table in Markdown, from the
// very list that the oracles use.
#include "lockstep/judge/assertions.h"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "lockstep/search/program.h"

namespace lockstep::fakezk {
namespace {

std::string_view cell(std::string_view oracle, FaultKind kind) {
  std::string_view asserted = "+";
  for (const judge::Waiver& waiver : judge::waivers()) {
    if (waiver.oracle != oracle || (waiver.under & bit(kind)) == 0) continue;
    if (!waiver.only_single) return "-";
    asserted = "+, but for `unfair-mutex`";
  }
  return asserted;
}

void print_table() {
  std::cout << "| fault |";
  for (const std::string_view oracle : search::kOracleOrder) std::cout << ' ' << oracle << " |";
  std::cout << "\n|---|";
  for (std::size_t i = 0; i < search::kOracleOrder.size(); ++i) std::cout << "---|";
  std::cout << '\n';
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    std::cout << "| " << name(kind) << " |";
    for (const std::string_view oracle : search::kOracleOrder) {
      std::cout << ' ' << cell(oracle, kind) << " |";
    }
    std::cout << '\n';
  }
}

void print_reasons() {
  for (const judge::Waiver& waiver : judge::waivers()) {
    std::cout << "- " << waiver.oracle << ": " << waiver.because << ".\n";
  }
}

}  // namespace
}  // namespace lockstep::fakezk

int main() {
  lockstep::fakezk::print_table();
  std::cout << '\n';
  lockstep::fakezk::print_reasons();
}
