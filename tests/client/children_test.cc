#include "lockstep/children.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Storage with its own names that records its release.
class CountingStorage final : public Children::Storage {
 public:
  CountingStorage(int& alive, std::string name) : alive_(alive), name_(std::move(name)) {
    ++alive_;
    names.push_back(name_);
    parent.num_children = 1;
  }
  ~CountingStorage() override { --alive_; }

 private:
  int& alive_;
  std::string name_;
};

Children list_of(int& alive, std::string name) {
  return Children(internal::Ref<CountingStorage>::make(alive, std::move(name)));
}

TEST(ChildrenTest, NoneIsAnEmptyList) {
  const Children none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none.parent(), Stat());
}

TEST(ChildrenTest, StorageLivesAsLongAsAnyCopy) {
  int alive = 0;
  {
    Children first = list_of(alive, "a");
    std::optional<Children> copy = first;
    const Children moved = std::move(first);
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(copy->names().data(), moved.names().data());
    copy.reset();
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(moved.names()[0], "a");
    EXPECT_EQ(moved.parent().num_children, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(ChildrenTest, AssignmentReleasesTheOldList) {
  int alive = 0;
  Children list = list_of(alive, "a");
  list = list_of(alive, "b");
  EXPECT_EQ(alive, 1);
  Children& same = list;
  list = same;
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(list.names()[0], "b");
  list = Children();
  EXPECT_EQ(alive, 0);
}

Children list_of_a_world_that_ends() {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/p")), "create");
  must(simulation.run(create(*session, "/p/first")), "create");
  must(simulation.run(create(*session, "/p/second")), "create");
  return must(simulation.run(get_children(*session, "/p")), "get_children");
}

TEST(ChildrenTest, NamesOutliveTheWorldTheyCameFrom) {
  const Children list = list_of_a_world_that_ends();
  const std::vector<std::string> names(list.begin(), list.end());
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(list.parent().num_children, 2);
}

TEST(ChildrenTest, HeldListIsNotReused) {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/p")), "create");
  const Children before = must(simulation.run(get_children(*session, "/p")), "get_children");
  must(simulation.run(create(*session, "/p/x")), "create");
  {
    const Children dropped = must(simulation.run(get_children(*session, "/p")), "get_children");
  }
  const Children after = must(simulation.run(get_children(*session, "/p")), "get_children");
  EXPECT_EQ(before.size(), 0U);
  EXPECT_EQ(after.size(), 1U);
}

}  // namespace
}  // namespace lockstep
