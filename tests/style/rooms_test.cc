// The picture of the rooms in ARCHITECTURE.md shows the arrows that CMakeLists.txt gives the
// linker.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace lockstep {
namespace {

using Arrows = std::set<std::pair<std::string, std::string>>;  // From a room to one that it links.

std::string read(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(LOCKSTEP_SOURCE_DIR "/") + file).rdbuf();
  return text.str();
}

// Calls `take` with each match of `pattern` in `text`.
template <class Take>
void each_match(const std::string& text, const std::string& pattern, Take take) {
  const std::regex regex(pattern);
  for (auto at = std::sregex_iterator(text.begin(), text.end(), regex);
       at != std::sregex_iterator(); ++at) {
    take(*at);
  }
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

}  // namespace
}  // namespace lockstep
