// The picture of the rooms in ARCHITECTURE.md shows the links that CMakeLists.txt gives the linker.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace lockstep {
namespace {

const std::filesystem::path kTests = LOCKSTEP_SOURCE_DIR "/tests";

// From a room to a room that it links.
using Arrows = std::set<std::pair<std::string, std::string>>;

std::string read(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(LOCKSTEP_SOURCE_DIR "/") + file).rdbuf();
  return text.str();
}

// Calls `take` with each match of `pattern` in `text`.
template <class Take>
void each_match(const std::string& text, const std::string& pattern, Take take) {
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) take(*at);
}

Arrows linked_in(const std::string& cmake) {
  Arrows arrows;
  each_match(cmake, R"(lockstep_component\((\w+)([^)]*)\))", [&](const std::smatch& component) {
    const std::string room = component[1];
    each_match(component[2], R"(lockstep::(\w+))",
               [&](const std::smatch& link) { arrows.emplace(room, link[1]); });
  });
  return arrows;
}

Arrows drawn_in(const std::string& markdown) {
  Arrows arrows;
  each_match(markdown, R"(\n  (\w+) --> (\w+))",
             [&](const std::smatch& arrow) { arrows.emplace(arrow[1], arrow[2]); });
  return arrows;
}

TEST(RoomsTest, ThePictureShowsTheLinkGraph) {
  const Arrows linked = linked_in(read("CMakeLists.txt"));
  EXPECT_GT(linked.size(), 10U);
  EXPECT_EQ(drawn_in(read("ARCHITECTURE.md")), linked);
}

TEST(RoomsTest, TheWorldKnowsNoRecipe) {
  EXPECT_EQ(linked_in(read("CMakeLists.txt")).count({"fakezk", "locks"}), 0U);
}

TEST(RoomsTest, BothListsAreRead) {
  const Arrows arrows = {{"b", "a"}, {"b", "c"}};
  EXPECT_EQ(linked_in("lockstep_component(a DIR a)\nlockstep_component(b DIR b\n"
                      "  PUBLIC lockstep::a PRIVATE Outside::x lockstep::c)\n"),
            arrows);
  EXPECT_EQ(drawn_in("graph BT\n  b --> a\n  b --> c\n"), arrows);
}

// The folders of tests without an executable.
std::set<std::string> unbuilt(const std::set<std::string>& folders, const std::string& cmake) {
  std::set<std::string> built;
  each_match(cmake, R"(GLOB (\w+)/)", [&](const std::smatch& test) { built.insert(test[1]); });
  each_match(cmake, R"(set\(rooms ([\w ]+)\))", [&](const std::smatch& rooms) {
    each_match(rooms[1], R"(\w+)", [&](const std::smatch& room) { built.insert(room[0]); });
  });
  std::set<std::string> left;
  std::ranges::set_difference(folders, built, std::inserter(left, left.end()));
  return left;
}

TEST(RoomsTest, EveryFolderOfTestsIsBuilt) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTests)) {
    const std::string file = entry.path().lexically_relative(kTests).string();
    const bool packaged = file.starts_with("packaging/");  // Builds a user's projects instead.
    if (!packaged && file.ends_with("_test.cc")) folders.insert(file.substr(0, file.find('/')));
  }
  EXPECT_TRUE(folders.contains("server"));
  EXPECT_EQ(unbuilt(folders, read("tests/CMakeLists.txt")), std::set<std::string>());
}

TEST(RoomsTest, AFolderThatIsNotBuiltIsFound) {
  const std::string cmake =
      "set(rooms async client)\nlockstep_test(x GLOB style/a_test.cc LABEL y)\n";
  EXPECT_EQ(unbuilt({"async", "client", "style", "unit"}, cmake), std::set<std::string>({"unit"}));
}

}  // namespace
}  // namespace lockstep
