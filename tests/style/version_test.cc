// CHANGELOG.md keeps its form, and its newest release is the version that CMakeLists.txt states.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(LOCKSTEP_SOURCE_DIR "/") + file).rdbuf();
  return text.str();
}

// Returns what the first group of `pattern` matches in each line of `text`.
std::vector<std::string> first_groups(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, regex)) found.push_back(match[1]);
  }
  return found;
}

TEST(VersionTest, TheNewestReleaseIsTheVersionOfTheProject) {
  const auto stated = first_groups(text_of("CMakeLists.txt"), R"( *VERSION ([0-9.]+))");
  const auto releases =
      first_groups(text_of("CHANGELOG.md"), R"(## ([0-9]+\.[0-9]+\.[0-9]+) - \d{4}-\d\d-\d\d)");
  ASSERT_EQ(stated.size(), 1U);
  ASSERT_FALSE(releases.empty());
  EXPECT_EQ(releases.front(), stated.front());
}

TEST(VersionTest, TheFiguresAreThoseOfTheVersionOfTheProject) {
  const auto stated = first_groups(text_of("CMakeLists.txt"), R"( *VERSION ([0-9.]+))");
  const auto measured = first_groups(text_of("docs/numbers.md"), R"(for version ([0-9.]+) on .*)");
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_EQ(measured.front(), stated.front());
}

TEST(VersionTest, TheChangelogHasItsFourSections) {
  for (const std::string& section : first_groups(text_of("CHANGELOG.md"), "### (.*)")) {
    EXPECT_TRUE(section == "Added" || section == "Changed" || section == "Removed" ||
                section == "Fixed")
        << section;
  }
  EXPECT_EQ(first_groups(text_of("CHANGELOG.md"), "## (Unreleased)").size(), 1U);
}

}  // namespace
}  // namespace lockstep
