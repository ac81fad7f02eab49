// The table of docs/locks.md has every error with which an acquire can end.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace lockstep {
namespace {

using Errors = std::set<std::string>;

std::string source_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / file).rdbuf();
  return text.str();
}

Errors errors_in(const std::string& text, const std::string& pattern) {
  Errors found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

Errors enumerators(const std::string& header) {
  return errors_in(header, R"(\n  (k[A-Z]\w+) = -?[0-9]+,)");
}

// Those in the first column of the table that begins with the word "error".
Errors errors_of_the_table(const std::string& markdown) {
  const std::size_t begin = markdown.find("\n| error |");
  const std::string table = markdown.substr(begin, markdown.find("\n\n", begin) - begin);
  std::string first_columns;
  const std::regex row(R"(\n\|([^|]*)\|)");
  for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
    first_columns += (*at)[1];
  }
  return errors_in(first_columns, "`(k[A-Z][a-zA-Z]+)`");
}

const Errors kNoEndOfAnAcquire = {
    // The acquire tries again. A server that says kSessionMoved ends the connection.
    "kConnectionLoss", "kThrottledOp", "kSessionMoved",
    // These answer requests that an acquire does not make, or to which it reacts itself.
    "kBadVersion", "kNotEmpty", "kNoWatcher", "kNotReadOnly",
    // No server sends these: they are the C client's own.
    "kSystemError", "kRuntimeInconsistency", "kDataInconsistency", "kInvalidCallback", "kNothing"};

TEST(ErrorTableTest, TheGuideToLocksHasEveryErrorOfAnAcquire) {
  Errors expected = enumerators(source_of("core/async/include/lockstep/error.h"));
  EXPECT_GT(expected.size(), 30U);
  for (const std::string& error : kNoEndOfAnAcquire) EXPECT_EQ(expected.erase(error), 1U) << error;
  EXPECT_EQ(errors_of_the_table(source_of("docs/locks.md")), expected);
}

TEST(ErrorTableSelfTest, RowsAndEnumeratorsAreFound) {
  EXPECT_EQ(enumerators("enum {\n  kNoNode = -101,\n  kTimedOut = 1,  // Late.\n};"),
            (Errors{"kNoNode", "kTimedOut"}));
  const std::string table =
      "\n| error | means |\n|---|---|\n| `kNoNode`, `kTimedOut` | not `kNoAuth` |\n\n`kClosing`";
  EXPECT_EQ(errors_of_the_table(table), (Errors{"kNoNode", "kTimedOut"}));
}

}  // namespace
}  // namespace lockstep
