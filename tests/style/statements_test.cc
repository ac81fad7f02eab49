// Checks the statements about ZooKeeper in docs/zookeeper-semantics.md and the keys (Z and a
// number) that tests and comments cite: each cited key exists, and each statement is shown by the
// tests that it names, or says why it is not tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {
namespace {

constexpr std::string_view kDocument = "docs/zookeeper-semantics.md";
constexpr std::string_view kShown = "Shown: ";
constexpr std::string_view kNotTested = "Not tested: ";

using Findings = std::vector<std::string>;
using Files = std::map<std::string, std::string>;  // Path relative to the top, and content.

struct Key {
  std::string name;
  bool names_a_test;  // Z42AWatchFiresOnce
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The key that starts at `at`: a whole word, or the start of a test's name.
std::optional<Key> key_at(std::string_view text, std::size_t at) {
  if (text[at] != 'Z' || (at > 0 && is_word(text[at - 1]))) return std::nullopt;
  auto end = at + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at + 1) return std::nullopt;
  const char next = end < text.size() ? text[end] : ' ';
  const bool names_a_test = std::isupper(static_cast<unsigned char>(next)) != 0;
  if (is_word(next) && !names_a_test) return std::nullopt;
  return Key{std::string(text.substr(at, end - at)), names_a_test};
}

std::vector<Key> keys_in(std::string_view text) {
  std::vector<Key> keys;
  for (auto at = text.find('Z'); at != text.npos; at = text.find('Z', at + 1)) {
    if (auto key = key_at(text, at)) keys.push_back(std::move(*key));
  }
  return keys;
}

// -------------------------------------------------------------------------------- the document

std::string without_indentation(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// The statements: each starts with "- **Z7**" and ends before the next one or a heading.
std::map<std::string, std::string> statements(const std::string& document, Findings& findings) {
  std::map<std::string, std::string> all;
  std::string current;
  std::istringstream lines{document};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) current.clear();
    if (line.starts_with("- **Z")) {
      current = line.substr(4, line.find("**", 4) - 4);
      if (all.contains(current)) findings.push_back(current + ": stated twice");
    }
    if (!current.empty()) all[current] += without_indentation(line) + ' ';
  }
  return all;
}

constexpr std::array kOnTheFakeAlone = {"tests/client/", "tests/fake/", "tests/locks/",
                                        "tests/server/"};

// Whether the folder of `path` proves the word after "Shown:". Random programs cite no key.
bool is_shown_there(const std::string& word, const std::string& path) {
  const bool ensemble = path == "tests/zookeeper/ensemble_test.cc";
  if (word == "conformance") return path.starts_with("tests/conformance/");
  if (word == "fake") {
    return std::ranges::any_of(kOnTheFakeAlone,
                               [&](const char* folder) { return path.starts_with(folder); });
  }
  if (word == "ensemble") return ensemble;
  if (word == "script") return path.starts_with("tests/chaos/") && path.ends_with(".py");
  return word == "real" && path.starts_with("tests/zookeeper/") && !ensemble;
}

std::vector<std::string> words_of(const std::string& statement) {
  std::vector<std::string> words;
  const auto start = statement.rfind(kShown);
  if (start == statement.npos) return words;
  const auto from = start + kShown.size();
  std::istringstream claims{statement.substr(from, statement.find_first_of(".(", from) - from)};
  for (std::string word; claims >> word;) {
    if (word.ends_with(',')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

// ------------------------------------------------------------------------------------ the check

// The places at which each key stands in a test: in its name, or in a comment.
struct Uses {
  std::set<std::string> anywhere;
  std::set<std::string> names;  // Files with a test named after the key.
};

std::map<std::string, Uses> uses_of(const Files& files) {
  std::map<std::string, Uses> uses;
  for (const auto& [path, text] : files) {
    for (const Key& key : keys_in(text)) {
      uses[key.name].anywhere.insert(path);
      if (key.names_a_test && path.ends_with("_test.cc")) uses[key.name].names.insert(path);
    }
  }
  return uses;
}

void check_claims(const std::string& key, const std::string& text, const Uses& uses,
                  Findings& findings) {
  const auto words = words_of(text);
  const bool excused = text.find(kNotTested) != text.npos;
  if (words.empty() != excused) {
    findings.push_back(key + ": say either \"Shown: \" and how, or \"Not tested: \" and why");
  }
  if (excused && !uses.names.empty()) {
    findings.push_back(key + ": not tested, but " + *uses.names.begin() + " has a test of it");
  }
  for (const auto& word : words) {
    const auto shows = [&](const std::string& path) {
      const bool runs = path.ends_with("_test.cc") || path.ends_with(".py");
      return runs && is_shown_there(word, path);
    };
    if (word != "differential" && std::ranges::none_of(uses.anywhere, shows)) {
      findings.push_back(key + ": no test of the kind \"" + word + "\" names it");
    }
  }
  for (const auto& path : uses.names) {
    const auto claims = [&](const std::string& word) { return is_shown_there(word, path); };
    if (!excused && std::ranges::none_of(words, claims)) {
      findings.push_back(key + ": also shown by " + path + ", which the statement does not say");
    }
  }
}

Findings check(const std::string& document, const Files& files) {
  Findings findings;
  const auto stated = statements(document, findings);
  auto uses = uses_of(files);
  for (const auto& [key, text] : stated) {
    check_claims(key, text, uses[key], findings);
    for (const Key& other : keys_in(text)) {
      if (!stated.contains(other.name)) findings.push_back(key + " cites " + other.name);
    }
  }
  for (const auto& [key, use] : uses) {
    if (stated.contains(key)) continue;
    findings.push_back(key + " is not in " + std::string(kDocument) + ": " + *use.anywhere.begin());
  }
  return findings;
}

// ------------------------------------------------------------------------------- the whole tree

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool may_cite(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".h" || extension == ".cc" || extension == ".md" || extension == ".txt" ||
         extension == ".py" || extension == ".sh";
}

Files whole_tree() {
  const std::filesystem::path top = LOCKSTEP_SOURCE_DIR;
  Files files;
  const auto add = [&](const std::filesystem::path& path) {
    const auto name = path.lexically_relative(top).generic_string();
    const bool is_own = name == kDocument || name.starts_with("tests/style/");
    if (may_cite(path) && !is_own) files[name] = content(path);
  };
  for (const auto& entry : std::filesystem::directory_iterator(top)) {
    if (entry.is_regular_file()) add(entry.path());
  }
  for (const auto* folder :
       {"core", "fakezk", "backends", "property", "tests", "examples", "docs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  return files;
}

TEST(StatementsTest, TestsAndStatementsAgree) {
  const auto top = std::filesystem::path(LOCKSTEP_SOURCE_DIR);
  for (const auto& finding : check(content(top / kDocument), whole_tree()))
    ADD_FAILURE() << finding;
}

TEST(StatementsTest, FindsStatementsAndTests) {
  Findings findings;
  const auto top = std::filesystem::path(LOCKSTEP_SOURCE_DIR);
  EXPECT_GT(statements(content(top / kDocument), findings).size(), 80U);
  EXPECT_GT(uses_of(whole_tree()).size(), 70U);
}

// ----------------------------------------------------------------------------- the check can fail

constexpr const char* kOne = "- **Z1** A watch\n  fires once. `A.b`. Shown:\n  conformance.\n";
const Files kItsTest = {{"tests/conformance/a_test.cc", "CONFORMANCE_TEST(Z1AWatchFiresOnce) {"}};

TEST(StatementsSelfTest, AgreementIsNoFinding) {
  EXPECT_EQ(check(kOne, kItsTest), Findings());
  EXPECT_EQ(check("- **Z1** A. Not tested: a race.\n", {}), Findings());
  EXPECT_EQ(check("- **Z1** A. Shown: differential.\n", {}), Findings());
}

TEST(StatementsSelfTest, AnUnstatedKeyIsFound) {
  auto files = kItsTest;
  files["fakezk/src/a.cc"] = "// As Z99 says.";
  EXPECT_EQ(check(kOne, files).size(), 1U);
  EXPECT_EQ(check("", kItsTest).size(), 1U);
  EXPECT_EQ(check("- **Z1** As Z2. Not tested: a race.\n", {}).size(), 1U);
}

TEST(StatementsSelfTest, AnUntestedStatementIsFound) {
  EXPECT_EQ(check(kOne, {}).size(), 1U);
  EXPECT_EQ(check(kOne, {{"tests/conformance/a.h", "// Z1"}}).size(), 1U) << "not a test";
  EXPECT_EQ(check(kOne, {{"tests/server/a_test.cc", "// Z1"}}).size(), 1U) << "of another kind";
  EXPECT_EQ(check("- **Z1** A watch fires once.\n", kItsTest).size(), 2U) << "and no claim";
}

TEST(StatementsSelfTest, AClaimThatIsTooSmallIsFound) {
  EXPECT_EQ(check("- **Z1** A. Not tested: a race.\n", kItsTest).size(), 1U);
  auto files = kItsTest;
  files["tests/server/b_test.cc"] = "TEST(B, Z1OnTheFakeToo) {";
  EXPECT_EQ(check(kOne, files).size(), 1U);
}

TEST(StatementsSelfTest, AKeyThatIsStatedTwiceIsFound) {
  EXPECT_EQ(check(std::string(kOne) + kOne, kItsTest).size(), 1U);
}

TEST(StatementsSelfTest, KeysHaveOneForm) {
  EXPECT_EQ(keys_in("Z1 (Z12) Z3AWatch a.Z4B").size(), 4U);
  EXPECT_TRUE(keys_in("Zookeeper AZ1 _Z2 Z 0xZ3 Z4b Z5_").empty());
}

}  // namespace
}  // namespace lockstep
