// Style as a test: reads every C++ source of the tree and enforces the rules of STYLE.md that a
// machine can check. Each message names what to do instead. The second half of the file feeds every
// check a bad snippet, because a check that cannot fail checks nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {
namespace {

// The banned words are written in two halves, so that this file passes its own checks.
struct Ban {
  std::string word;
  std::string instead;
};

const std::vector<Ban> kNondeterminism = {
    {"random_device", "draw from lockstep::Random, which the simulation seeds"},
    {"system_clock", "ask the executor: Executor::now()"},
    {"steady_clock", "ask the executor: Executor::now()"},
    {"high_resolution_clock", "ask the executor: Executor::now()"},
    {"this_thread", "co_await lockstep::sleep_for(executor, duration), which is virtual in a hunt"},
    {"std::thread", "post to the Executor; blocking code goes through Blocker"},
    {"std::jthread", "post to the Executor; blocking code goes through Blocker"},
    {"std::async", "post to the Executor"},
    {"unordered_map", "std::map, or a vector in a stated order: hash order differs by library"},
    {"unordered_set", "std::set, or a sorted vector: hash order differs by library"},
};
const std::string kDistributionInstead = "arithmetic on one draw: the standard leaves them open";

const std::vector<Ban> kSleeps = {
    {"this_thread", "wait for the condition itself, or use virtual time"},
    {"us"
     "leep",
     "wait for the condition itself, or use virtual time"},
    {"nanos"
     "leep",
     "wait for the condition itself, or use virtual time"},
};

const std::vector<std::string> kMarks = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "X"
    "XX",
    "HA"
    "CK"};

constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kMostFunctionLines = 70;

struct Source {
  std::string path;                // Relative to the top of the tree, with '/'.
  std::vector<std::string> lines;  // As written.
  std::vector<std::string> code;   // The same lines with comments and literals blanked.

  [[nodiscard]] bool under(std::string_view folder) const { return path.starts_with(folder); }
};

using Findings = std::vector<std::string>;

void report(Findings& findings, const Source& source, std::size_t index, std::string_view message) {
  findings.push_back(source.path + ":" + std::to_string(index + 1) + ": " + std::string(message));
}

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The first place of `word` in `text` that is not part of a longer identifier.
std::size_t find_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word_char(text[at - 1]);
    const auto end = at + word.size();
    const bool ends = end == text.size() || !is_word_char(text[end]);
    if (starts && ends) return at;
  }
  return std::string_view::npos;
}

bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != text.npos;
}

// ------------------------------------------------------------------------------------ reading

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The end of the literal that starts at `at` with a quote: the position after its closing quote.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '"' && at > 0 && text[at - 1] == 'R') {
    const auto open = text.find('(', at);
    const auto close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const auto end = text.find(close, open);
    return end == text.npos ? text.size() : end + close.size();
  }
  for (auto end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == '\\') {
      ++end;
    } else if (text[end] == quote) {
      return end + 1;
    }
  }
  return text.size();
}

// The end of the comment or literal that starts at `at`; `at` itself if none does.
std::size_t end_of_prose(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  if (text[at] == '"') return end_of_literal(text, at);
  const bool separates_digits = at > 0 && is_word_char(text[at - 1]);
  if (text[at] == '\'' && !separates_digits) return end_of_literal(text, at);
  return at;
}

std::string blank_prose(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto end = end_of_prose(text, at);
    for (; at < end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
  }
  return text;
}

Source make_source(std::string path, const std::string& text) {
  return {std::move(path), split_lines(text), split_lines(blank_prose(text))};
}

// ------------------------------------------------------------------------------------- checks

void check_columns(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const auto& line = source.lines[i];
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // UTF-8: count first bytes only.
    });
    if (columns > static_cast<std::ptrdiff_t>(kMostColumns)) {
      report(findings, source, i, "more than 100 columns: break the line");
    }
  }
}

void check_marks(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    for (const auto& mark : kMarks) {
      if (has_word(source.lines[i], mark)) {
        report(findings, source, i, mark + ": do it now, or open an issue and drop the mark");
      }
    }
  }
}

// Clauses without a subject: "What has arrived", "Of an exhaustive search". A line that continues a
// sentence does not begin with a capital.
const std::vector<std::string> kWithoutSubject = {"Of ", "What ", "Who ", "Whom ", "Whoever "};

void check_comments(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line.compare(begin, 3, "// ") != 0) continue;
    for (const auto& word : kWithoutSubject) {
      if (line.compare(begin + 3, word.size(), word) == 0) {
        report(findings, source, i, "a comment has a subject, and puts it first");
      }
    }
  }
}

// "// allow(word): reason" in a line, or in the line above it, lifts one ban for that line.
bool is_allowed(const Source& source, std::size_t index, const std::string& word) {
  const auto lifts = [&](const std::string& line) {
    const auto marker = "// allow(" + word + "): ";
    const auto at = line.find(marker);
    return at != line.npos && line.size() > at + marker.size();
  };
  return lifts(source.lines[index]) || (index > 0 && lifts(source.lines[index - 1]));
}

void check_bans(const Source& source, const std::vector<Ban>& bans, Findings& findings) {
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    if (source.code[i].starts_with("#include")) continue;
    for (const auto& ban : bans) {
      if (!has_word(source.code[i], ban.word) || is_allowed(source, i, ban.word)) continue;
      report(findings, source, i, ban.word + ": " + ban.instead);
    }
  }
}

void check_determinism(const Source& source, Findings& findings) {
  const bool simulated = source.under("core/") || source.under("fakezk/");
  if (!simulated) return;
  check_bans(source, kNondeterminism, findings);
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    const auto at = source.code[i].find("_distribution");
    if (at != source.code[i].npos && source.code[i].rfind("std::", at) != source.code[i].npos) {
      report(findings, source, i, "std:: distribution: " + kDistributionInstead);
    }
  }
}

void check_sleeps(const Source& source, Findings& findings) {
  if (!source.under("tests/") && !source.under("examples/") && !source.under("property/")) return;
  if (source.under("property/lab/src/process/")) return;  // It watches real threads and signals.
  // Threads of these tests run in virtual time, and this project defines what they call.
  const bool is_virtual = source.under("tests/intercept/") || source.under("tests/threads/");
  if (is_virtual || source.under("property/intercept/")) return;
  check_bans(source, kSleeps, findings);
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    const std::string_view code = source.code[i];
    const auto at = find_word(code, "sleep");
    if (at != code.npos && code.substr(at + 5).starts_with("(")) {
      report(findings, source, i, "a sleep: wait for the condition itself, or use virtual time");
    }
  }
}

void check_test_only_code(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    if (source.code[i].find("ForTesting") != source.code[i].npos ||
        source.code[i].find("_for_testing") != source.code[i].npos) {
      report(findings, source, i, "a member for tests: test through the public interface");
    }
    if (source.code[i].find("GTEST_"
                            "SKIP") != source.code[i].npos ||
        source.code[i].find("DIS"
                            "ABLED_") != source.code[i].npos) {
      report(findings, source, i, "a test that does not run: repair it, or delete it");
    }
  }
}

void check_guards(const Source& source, Findings& findings) {
  if (!source.path.ends_with(".h")) return;
  const auto first = std::find_if(source.code.begin(), source.code.end(), [](const auto& line) {
    return line.find_first_not_of(" \t") != line.npos;
  });
  if (first == source.code.end() || *first != "#pragma once") {
    report(findings, source, 0, "a header starts with #pragma once, before any other code");
  }
}

// The header that an #include line names, with its brackets or quotes; empty for other lines.
std::string included(const std::string& line) {
  if (!line.starts_with("#include ")) return {};
  const auto begin = line.find_first_of("<\"");
  const auto end = begin == line.npos ? begin : line.find_first_of(">\"", begin + 1);
  return end == line.npos ? std::string() : line.substr(begin, end - begin + 1);
}

// The reason why `source` must not include `header`; empty if it may. Checks only headers of other
// projects, which every room finds: the include roots check ours.
std::string wrong_include(const Source& source, const std::string& header) {
  const auto is = [&](std::string_view prefix) { return header.starts_with(prefix); };
  const bool standard = is("<") && header.find_first_of("./") == header.npos;
  const bool c_client = source.under("backends/zookeeper/src/") ||
                        source.under("backends/zookeeper/floor/") ||
                        source.under("property/hunted/") || source.under("tests/");
  if (is("<zookeeper/") && !c_client) {
    return "the C client is known to backends/zookeeper/src only: use lockstep::Session";
  }
  if (source.under("core/") && !is("\"lockstep/") && !standard) {
    return "core includes core, as \"lockstep/...\", and standard C++ only";
  }
  return {};
}

void check_includes(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const auto header = included(source.lines[i]);
    if (header.empty() || is_allowed(source, i, "include")) continue;
    const auto wrong = wrong_include(source, header);
    if (!wrong.empty()) report(findings, source, i, header + ": " + wrong);
  }
}

std::ptrdiff_t unopened_parentheses(const std::string& line) {
  return std::ranges::count(line, ')') - std::ranges::count(line, '(');
}

// The first line of the statement that contains this line. The semicolons of a `for` are inside
// parentheses and end no statement.
std::size_t first_line_of_statement(const Source& source, std::size_t index) {
  const auto goes_on = [](const std::string& line) {
    const auto last = line.find_last_not_of(' ');
    return last != line.npos && !line.starts_with("#") &&
           std::string_view(";{}:").find(line[last]) == std::string_view::npos;
  };
  auto unopened = unopened_parentheses(source.code[index]);
  while (index > 0 && (unopened > 0 || goes_on(source.code[index - 1]))) {
    unopened += unopened_parentheses(source.code[--index]);
  }
  return index;
}

// Relies on clang-format: a function's closing brace is indented like its head. Blocks inside
// functions are measured too, which finds nothing that the function itself would not.
void check_functions(const Source& source, Findings& findings) {
  for (std::size_t open = 0; open < source.code.size(); ++open) {
    const auto last = source.code[open].find_last_not_of(' ');
    if (last == std::string::npos || source.code[open][last] != '{') continue;
    const auto first = first_line_of_statement(source, open);
    std::string head;
    for (auto i = first; i <= open; ++i) head += source.code[i];
    const auto indent = head.substr(0, head.find_first_not_of(' '));
    head.erase(0, indent.size());
    const bool names_type = head.starts_with("struct ") || head.starts_with("class ");
    if (names_type || head.find('(') == head.npos) continue;

    auto close = open + 1;
    while (close < source.code.size() && !source.code[close].starts_with(indent + "}")) ++close;
    const auto length = close - first + 1;
    if (length > kMostFunctionLines) {
      report(findings, source, first,
             "a function of " + std::to_string(length) + " lines, of at most 70: split it");
    }
  }
}

using Check = void (*)(const Source&, Findings&);

// ------------------------------------------------------------------------------ the whole tree

std::vector<Source> sources_of_the_tree() {
  const std::filesystem::path top = LOCKSTEP_SOURCE_DIR;
  std::vector<Source> sources;
  for (const auto* folder : {"core", "fakezk", "backends", "property", "tests", "examples"}) {
    if (!std::filesystem::exists(top / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      sources.push_back(
          make_source(entry.path().lexically_relative(top).generic_string(), text.str()));
    }
  }
  return sources;
}

void expect_clean_tree(Check check) {
  Findings findings;
  for (const auto& source : sources_of_the_tree()) check(source, findings);
  std::sort(findings.begin(), findings.end());
  for (const auto& finding : findings) ADD_FAILURE() << finding;
}

TEST(TidyTest, FindsSources) { EXPECT_GT(sources_of_the_tree().size(), 10U); }
TEST(TidyTest, LinesFitIn100Columns) { expect_clean_tree(check_columns); }
TEST(TidyTest, FunctionsFitIn70Lines) { expect_clean_tree(check_functions); }
TEST(TidyTest, NothingIsLeftUnfinished) { expect_clean_tree(check_marks); }
TEST(TidyTest, CommentsHaveSubjects) { expect_clean_tree(check_comments); }
TEST(TidyTest, SimulatedCodeIsDeterministic) { expect_clean_tree(check_determinism); }
TEST(TidyTest, TestsDoNotSleep) { expect_clean_tree(check_sleeps); }
TEST(TidyTest, NothingExistsForTestsOnly) { expect_clean_tree(check_test_only_code); }
TEST(TidyTest, HeadersStartWithPragmaOnce) { expect_clean_tree(check_guards); }
TEST(TidyTest, CoreIncludesTheStandardLibraryOnly) { expect_clean_tree(check_includes); }

// ------------------------------------------------------------------- each check can fail

std::size_t count_findings(Check check, const std::string& path, const std::string& text) {
  Findings findings;
  check(make_source(path, text), findings);
  return findings.size();
}

TEST(TidySelfTest, LongLinesAreFound) {
  EXPECT_EQ(count_findings(check_columns, "core/a.cc", std::string(100, 'x')), 0U);
  EXPECT_EQ(count_findings(check_columns, "core/a.cc", std::string(101, 'x')), 1U);
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  EXPECT_EQ(count_findings(check_columns, "core/a.cc", accents), 0U);
}

TEST(TidySelfTest, UnfinishedMarksAreFound) {
  for (const auto& mark : kMarks) {
    EXPECT_EQ(count_findings(check_marks, "core/a.cc", "// " + mark + ": later\n"), 1U);
  }
  EXPECT_EQ(count_findings(check_marks, "core/a.cc", "// a HACKSAW\n"), 0U);
}

TEST(TidySelfTest, CommentsWithoutSubjectsAreFound) {
  for (const auto& word : kWithoutSubject) {
    EXPECT_EQ(count_findings(check_comments, "core/a.cc", "  // " + word + "has come.\n"), 1U);
  }
  EXPECT_EQ(count_findings(check_comments, "core/a.cc", "// Office.\nint of; // What\n"), 0U);
}

TEST(TidySelfTest, NondeterminismIsFound) {
  const auto findings_of = [](const std::string& text) {
    return count_findings(check_determinism, "fakezk/search/src/a.cc", text);
  };
  for (const auto& ban : kNondeterminism) EXPECT_EQ(findings_of(ban.word + " x;"), 1U);
  EXPECT_EQ(findings_of("std::uniform_int_distribution<int> d;"), 1U);
  EXPECT_EQ(findings_of("// not a steady_clock\nauto s = \"steady_clock\";"), 0U);
  EXPECT_EQ(findings_of("int system_clock_count;"), 0U);
  EXPECT_EQ(count_findings(check_determinism, "backends/zookeeper/src/a.cc", "std::thread t;"), 0U);
}

TEST(TidySelfTest, OneReasonLiftsOneBan) {
  const auto findings_of = [](const std::string& text) {
    return count_findings(check_determinism, "core/locks/src/a.cc", text);
  };
  EXPECT_EQ(findings_of("std::thread t;  // allow(std::thread): production only\n"), 0U);
  EXPECT_EQ(findings_of("// allow(std::thread): production only\nstd::thread t;\n"), 0U);
  EXPECT_EQ(findings_of("// allow(std::thread): \nstd::thread t;\n"), 1U) << "without a reason";
  EXPECT_EQ(findings_of("// allow(system_clock): wrong word\nstd::thread t;\n"), 1U);
  EXPECT_EQ(findings_of("// allow(std::thread): once\nstd::thread t;\nstd::thread u;\n"), 1U);
}

TEST(TidySelfTest, SleepsAreFound) {
  const auto findings_of = [](const std::string& text) {
    return count_findings(check_sleeps, "tests/async/a_test.cc", text);
  };
  for (const auto& ban : kSleeps) EXPECT_EQ(findings_of(ban.word + "(5);"), 1U);
  EXPECT_EQ(findings_of(std::string("::sleep") + "(1);"), 1U);
  EXPECT_EQ(findings_of("co_await lockstep::sleep"
                        "_for(executor, 5s);"),
            0U)
      << "virtual";
}

TEST(TidySelfTest, TestHooksAreFound) {
  const auto findings_of = [](const std::string& text) {
    return count_findings(check_test_only_code, "core/locks/include/lockstep/a.h", text);
  };
  EXPECT_EQ(findings_of("void failNextForTesting();"), 1U);
  EXPECT_EQ(findings_of("void fail_next_for_testing();"), 1U);
  EXPECT_EQ(findings_of("GTEST_"
                        "SKIP();"),
            1U);
  EXPECT_EQ(findings_of("TEST(ATest, DIS"
                        "ABLED_B) {}"),
            1U);
  EXPECT_EQ(findings_of("int fortress;"), 0U);
}

TEST(TidySelfTest, MissingGuardsAreFound) {
  EXPECT_EQ(count_findings(check_guards, "core/a.h", "// What.\n#pragma once\nint x;\n"), 0U);
  EXPECT_EQ(count_findings(check_guards, "core/a.h", "#ifndef A_H\n#define A_H\n#endif\n"), 1U);
  EXPECT_EQ(count_findings(check_guards, "core/a.h", "#include <map>\n#pragma once\n"), 1U);
}

TEST(TidySelfTest, WrongIncludesAreFound) {
  const auto findings_of = [](const std::string& path, const std::string& header) {
    return count_findings(check_includes, path, "#include " + header + "\n");
  };
  EXPECT_EQ(findings_of("core/locks/src/a.cc", "\"lockstep/session.h\""), 0U);
  EXPECT_EQ(findings_of("core/locks/src/a.cc", "<coroutine>"), 0U);
  EXPECT_EQ(findings_of("core/locks/src/a.cc", "<unistd.h>"), 1U);
  EXPECT_EQ(findings_of("core/locks/src/a.cc", "<unistd.h>  // allow(include): a reason"), 0U);
  EXPECT_EQ(findings_of("core/locks/src/a.cc", "\"helper.h\""), 1U);
  EXPECT_EQ(findings_of("backends/zookeeper/src/a.cc", "<zookeeper/zookeeper.h>"), 0U);
  EXPECT_EQ(findings_of("backends/zookeeper/include/a.h", "<zookeeper/zookeeper.h>"), 1U);
  EXPECT_EQ(findings_of("property/program/a.cc", "<zookeeper/zookeeper.h>"), 1U);
}

TEST(TidySelfTest, LongFunctionsAreFound) {
  const auto findings_of = [](const std::string& head, std::size_t body_lines) {
    std::string text = "namespace n {\n\n" + head + " {\n";
    for (std::size_t i = 0; i < body_lines; ++i) text += "  if (x) { y('{', \"{\"); }  // {\n";
    return count_findings(check_functions, "core/locks/src/a.cc", text + "}\n\n}\n");
  };
  for (const auto* head :
       {"void f()", "int A::f(int x) const noexcept", "TEST(A, B)", "auto f() -> std::vector<int>",
        "A::A() : a_{1}, b_{2}", "template <class T> T f()", "bool operator==(A, A)"}) {
    EXPECT_EQ(findings_of(head, kMostFunctionLines - 2), 0U) << head;
    EXPECT_EQ(findings_of(head, kMostFunctionLines - 1), 1U) << head;
  }
  // The block of a `for` whose head has two lines ends with the block.
  EXPECT_EQ(findings_of("void f() {\n  for (int i = 0;\n       i < n(); ++i) {\n  }\n}\n\nvoid g()",
                        kMostFunctionLines - 2),
            0U);
  EXPECT_EQ(findings_of("void f(int a,\n       int b)", kMostFunctionLines - 3), 0U);
  EXPECT_EQ(findings_of("void f(int a,\n       int b)", kMostFunctionLines - 2), 1U);
  for (const auto* head : {"class A", "struct A final : B<C(int)>", "enum class A", "namespace a",
                           "template <class T>\nstruct A", "int table[] ="}) {
    EXPECT_EQ(findings_of(head, kMostFunctionLines), 0U) << head;
  }
}

}  // namespace
}  // namespace lockstep
