// Newcomers copy the examples and the documents' code, which therefore name what they use: a
// program that imports a whole namespace may break with the next version.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> copied_files() {
  const fs::path top = LOCKSTEP_SOURCE_DIR;
  std::vector<fs::path> files = {top / "README.md"};
  for (const char* folder : {"examples", "docs", "backends/zookeeper"}) {
    for (const auto& entry : fs::directory_iterator(top / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".cc" || extension == ".h" || extension == ".md") files.push_back(entry);
    }
  }
  return files;
}

// Namespaces of literals exist to be imported.
bool takes_in_a_namespace(const std::string& line) {
  const std::size_t at = line.find("using namespace ");
  return at != line.npos && line.find("literals", at) == line.npos;
}

TEST(ExamplesStyleTest, NamesAreImportedOneByOne) {
  std::size_t examples = 0;
  for (const fs::path& file : copied_files()) {
    examples += file.extension() == ".cc" ? 1 : 0;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(takes_in_a_namespace(line)) << file << ": " << line;
    }
  }
  EXPECT_GT(examples, 5U);
}

TEST(ExamplesStyleSelfTest, AWholeNamespaceIsFound) {
  EXPECT_TRUE(takes_in_a_namespace("using namespace lockstep;"));
  EXPECT_TRUE(takes_in_a_namespace("  using namespace std;"));
  EXPECT_FALSE(takes_in_a_namespace("using namespace std::chrono_literals;"));
  EXPECT_FALSE(takes_in_a_namespace("using lockstep::FairMutex;"));
}

}  // namespace
}  // namespace lockstep
