// A document gives the reason for each dependency, and continuous integration calls existing files.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace lockstep {
namespace {

const std::filesystem::path kTree = LOCKSTEP_SOURCE_DIR;
using Words = std::set<std::string>;

std::string text_in(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(kTree / file).rdbuf();
  return text.str();
}

// The first group of `pattern` in each match in `text`.
Words all_of(const std::string& text, const std::string& pattern) {
  Words found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

std::ptrdiff_t count_of(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}

// Splits `text` at blanks into words that can be package names.
void add_packages(Words& packages, const std::string& text) {
  packages.merge(all_of(" " + text + " ", R"(\s([a-z][a-z0-9+.-]+)(?=\s))"));
}

// The packages that a shell script installs: NAME_packages=(...), peers=(...) and need ... lines.
Words installed_by(const std::string& shell) {
  Words packages;
  for (const std::string& list : all_of(shell, R"(_packages=\(([^)]*)\))")) {
    add_packages(packages, list);
  }
  for (const std::string& list : all_of(shell, R"(\bneed ([a-z][^\n]*))")) {
    add_packages(packages, list);
  }
  return packages;
}

// The packages in backticks in the tables of a document.
Words documented_in(const std::string& markdown) {
  Words packages;
  for (const std::string& cell : all_of(markdown, R"(\n\| (`[^|]*) \|)")) {
    packages.merge(all_of(cell, "`([^`]+)`"));
  }
  return packages;
}

// The files of this tree that a workflow calls.
Words paths_in(const std::string& workflow) {
  return all_of(workflow, R"((?:^|[\s'"])((?:\.ci|tests|packaging)/[\w./-]+))");
}

TEST(SupplyTest, EveryPackageHasItsReason) {
  const Words installed = installed_by(text_in("tests/setup.sh") + text_in("test"));
  EXPECT_GT(installed.size(), 20U);
  EXPECT_EQ(documented_in(text_in("docs/dependencies.md")), installed);
}

TEST(SupplyTest, WorkflowsCallWhatExists) {
  for (const std::string name : {"ci", "nightly"}) {
    const std::string workflow = text_in(".github/workflows/" + name + ".yml");
    const Words paths = paths_in(workflow);
    EXPECT_FALSE(paths.empty()) << name;
    for (const std::string& path : paths) {
      EXPECT_TRUE(std::filesystem::exists(kTree / path)) << name << " calls " << path;
    }
    EXPECT_GT(count_of(workflow, R"(\n    runs-on:)"), 0) << name;
    EXPECT_EQ(count_of(workflow, R"(\n    runs-on:)"),
              count_of(workflow, R"(\n    timeout-minutes:)"))
        << "a job of " << name << " has no time limit";
  }
}

// Without git, the checkout takes an archive, and the reproducible build finds no commit.
TEST(SupplyTest, TheNightlyRunHasTheHistory) {
  const std::string nightly = text_in(".github/workflows/nightly.yml");
  EXPECT_LT(nightly.find("apt-get install --yes --no-install-recommends git "),
            nightly.find("actions/checkout"));
}

TEST(SupplyTest, ThePoolHoldsAsManyServersAsTheTestsAskFor) {
  const Words asked = all_of(text_in("test"), R"(\nmost_servers=(\d+)\n)");
  const Words held = all_of(text_in("tests/pool/server_pool.cc"), R"(\bkMost = (\d+);)");
  ASSERT_EQ(asked.size(), 1U);
  ASSERT_EQ(held.size(), 1U);
  EXPECT_LE(std::stoi(*asked.begin()), std::stoi(*held.begin()));
}

TEST(SupplyTest, TheBuildWithoutZooKeeperHasItsPackages) {
  const std::string workflow = text_in(".github/workflows/ci.yml");
  const std::string job = workflow.substr(workflow.find("\n  without-zookeeper:"));
  Words needed;
  for (const std::string& list :
       all_of(text_in("tests/setup.sh"), R"(\brun_packages=\(([^)]*)\))")) {
    add_packages(needed, list);
  }
  EXPECT_EQ(needed.erase("libzookeeper-mt-dev"), 1U);
  Words installed;
  add_packages(installed, job);
  for (const std::string& package : needed) {
    EXPECT_EQ(installed.count(package), 1U) << "the job without ZooKeeper lacks " << package;
  }
}

TEST(SupplySelfTest, PackagesAreFound) {
  EXPECT_EQ(installed_by("a_packages=(g++ \"${b[@]}\"\n  cmake)\nneed clang-19 \"${c[@]}\"\n"),
            (Words{"g++", "cmake", "clang-19"}));
  EXPECT_EQ(documented_in("text `x`\n| `a`, `b` | 1 | `c` |\n"), (Words{"a", "b"}));
  EXPECT_EQ(paths_in("- run: tests/gone.sh x\n- run: .ci/run"),
            (Words{"tests/gone.sh", ".ci/run"}));
}

}  // namespace
}  // namespace lockstep
