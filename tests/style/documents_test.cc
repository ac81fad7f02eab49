// Links and paths in the documents exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The first group of `pattern` in each match in `text`.
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  std::sregex_iterator at(text.begin(), text.end(), regex);
  for (; at != std::sregex_iterator(); ++at) found.push_back((*at)[1]);
  return found;
}

// The name of a heading in links: lower case, hyphens for blanks, without other punctuation.
std::string anchor(const std::string& heading) {
  std::string name;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') name += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_') {
      name += static_cast<char>(std::tolower(byte));
    }
  }
  return name;
}

// Whether `link`, in the document `from`, leads to a file or to a heading.
bool leads_somewhere(const std::string& link, const fs::path& from) {
  if (link.starts_with("http")) return true;
  const std::size_t hash = link.find('#');
  const std::string file = link.substr(0, hash);
  const fs::path target = file.empty() ? from : from.parent_path() / file;
  if (!fs::exists(target)) return false;
  if (hash == link.npos) return true;
  const auto headings = matches(read_file(target), "\n#+ ([^\n]*)");
  return std::ranges::any_of(headings, [&](const std::string& heading) {
    return anchor(heading) == link.substr(hash + 1);
  });
}

std::vector<std::string> dead_links(const std::string& text, const fs::path& from) {
  std::vector<std::string> dead = matches(text, "\\]\\(([^)\\s]+)\\)");
  std::erase_if(dead, [&](const std::string& link) { return leads_somewhere(link, from); });
  return dead;
}

// Paths of the repository in backticks that do not exist; patterns and placeholders (NAME, NN) are
// no paths.
std::vector<std::string> missing_paths(const std::string& text, const fs::path& top) {
  std::vector<std::string> missing = matches(
      text, "`((?:core|fakezk|backends|property|tests|examples|docs|packaging)/[\\w./-]*)`");
  std::erase_if(missing, [&](const std::string& path) {
    return fs::exists(top / path) || path.find("NAME") != path.npos || path.find("NN") != path.npos;
  });
  return missing;
}

const fs::path kTop = LOCKSTEP_SOURCE_DIR;
using Names = std::vector<std::string>;

std::vector<fs::path> documents() {
  std::vector<fs::path> found = {kTop / "backends/zookeeper/README.md"};
  for (const fs::path& folder : {kTop, kTop / "docs"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

TEST(DocumentsTest, LinksLeadSomewhere) {
  EXPECT_GT(documents().size(), 10U);
  for (const fs::path& file : documents()) {
    EXPECT_EQ(dead_links(read_file(file), file), Names()) << file;
  }
}

TEST(DocumentsTest, PathsExist) {
  for (const fs::path& file : documents()) {
    if (file.filename() == "CHANGELOG.md") continue;  // It describes the past.
    EXPECT_EQ(missing_paths(read_file(file), kTop), Names()) << file;
  }
}

TEST(DocumentsSelfTest, DeadLinksAreFound) {
  const fs::path here = kTop / "README.md";
  const std::string text =
      "[a](STYLE.md) [b](STYLE.md#words) [c](https://example.org) "
      "[d](GONE.md) [e](STYLE.md#no-such-heading)";
  EXPECT_EQ(dead_links(text, here), (Names{"GONE.md", "STYLE.md#no-such-heading"}));
}

TEST(DocumentsSelfTest, MissingPathsAreFound) {
  EXPECT_EQ(missing_paths("`core/` `docs/gone.md` `tests/locks/NAME_test.cc` `a/b`", kTop),
            Names{"docs/gone.md"});
}

}  // namespace
}  // namespace lockstep
