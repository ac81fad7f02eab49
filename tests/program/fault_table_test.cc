// docs/faults.md has a row for each kind of fault, made from the text in its source file.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/fakezk/fault.h"

namespace lockstep::fakezk {
namespace {

std::vector<std::string> rows_of_the_document() {
  std::ifstream document(LOCKSTEP_SOURCE_DIR "/docs/faults.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

TEST(FaultTableTest, TheDocumentAgreesWithTheFaults) {
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const FaultFacts& known = facts(static_cast<FaultKind>(i));
    std::ostringstream row;
    row << "| `" << known.name << "` | " << known.effect << " | " << known.strikes << " |";
    expected.push_back(row.str());
  }
  EXPECT_EQ(rows_of_the_document(), expected);
}

TEST(FaultTableTest, SaysWhyAKindCannotStrike) {
  EXPECT_EQ(why_impossible(facts(FaultKind::kLag).needs), "there is one server");
  EXPECT_NE(why_impossible(facts(FaultKind::kCrash).needs), "");
  EXPECT_EQ(why_impossible(facts(FaultKind::kCut).needs), "");
}

}  // namespace
}  // namespace lockstep::fakezk
