// docs/bugs.md and docs/oracles.md state under which faults each oracle is asserted, in agreement
// with the list of waivers.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/judge/assertions.h"

namespace lockstep::judge {
namespace {

using fakezk::FaultKind;
using search::Oracle;
using search::OracleFacts;

constexpr std::string_view kAllFaults = "all faults";

std::string document(const std::string& name) {
  const std::ifstream file(LOCKSTEP_SOURCE_DIR "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether the oracle is waived under that kind of fault, for some or for all locks.
bool is_waived(Oracle oracle, FaultKind kind, bool only_single) {
  for (const Waiver& waiver : waivers()) {
    if (waiver.oracle != oracle || waiver.only_single != only_single) continue;
    if ((waiver.under & bit(kind)) != 0) return true;
  }
  return false;
}

std::string_view cell(Oracle oracle, FaultKind kind) {
  if (is_waived(oracle, kind, false)) return "-";
  return is_waived(oracle, kind, true) ? "+, but for `unfair-mutex`" : "+";
}

std::string matrix() {
  std::ostringstream table;
  table << "| fault |";
  for (const OracleFacts& oracle : search::oracles()) table << ' ' << oracle.name << " |";
  table << "\n|---|";
  for (std::size_t i = 0; i < search::oracles().size(); ++i) table << "---|";
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    table << "\n| " << name(kind) << " |";
    for (const OracleFacts& row : search::oracles()) table << ' ' << cell(row.oracle, kind) << " |";
  }
  table << "\n\n";
  for (const Waiver& waiver : waivers()) {
    table << "- " << name(waiver.oracle) << ": " << waiver.because << ".\n";
  }
  table << "- An exhaustive search does not judge " << search::not_judged() << ".\n";
  return table.str();
}

TEST(AssertionTableTest, TheDocumentOfBugsHasTheMatrixAndTheReasons) {
  const std::string text = document("bugs.md");
  const std::size_t begin = text.find("| fault | S1 |");
  ASSERT_NE(begin, std::string::npos);
  const std::string expected = matrix();
  EXPECT_EQ(text.substr(begin, expected.size()), expected);
}

// "all but `stall`", for locks of one znode or for all locks.
std::string asserted_under(Oracle oracle, bool only_single) {
  std::size_t waived = 0;
  std::string exceptions;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (!is_waived(oracle, kind, only_single)) continue;
    exceptions.append(waived++ > 0 ? ", `" : "all but `").append(name(kind)).append("`");
  }
  if (waived == fakezk::kFaultKinds) return "executions without a fault so far";
  return waived == 0 ? std::string(kAllFaults) : exceptions;
}

std::string asserted_under(Oracle oracle) {
  const std::string single = asserted_under(oracle, true);
  return asserted_under(oracle, false) +
         (single == kAllFaults ? "" : "; for `unfair-mutex` " + single);
}

// The first and the third cell of each row of the table of guarantees.
std::vector<std::string> rows_of_guarantees() {
  std::vector<std::string> rows;
  std::istringstream text(document("oracles.md"));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("| ") || line.starts_with("| oracle")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(2));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    rows.push_back(cells.at(0) + "|" + cells.at(2));
  }
  return rows;
}

TEST(AssertionTableTest, TheDocumentOfOraclesAgreesWithTheWaivers) {
  std::vector<std::string> expected;
  for (const OracleFacts& row : search::oracles()) {
    if (!row.is_guarantee && row.oracle != Oracle::kDeadlock) continue;
    expected.push_back(std::string(row.name) + " | " + asserted_under(row.oracle) + " ");
  }
  EXPECT_EQ(rows_of_guarantees(), expected);
}

}  // namespace
}  // namespace lockstep::judge
