#include "lockstep/internal/watch_registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/internal/client_table.h"

namespace lockstep {
namespace {

using internal::in_table_order;
using internal::Ref;
using internal::table_of;
using internal::WatchRegistry;
using internal::WatchState;
using internal::WatchTable;

class CountingOwner final : public WatchRegistry::Owner {
 public:
  void abandoned() noexcept override { ++told; }
  int told = 0;
};

Ref<WatchState> added(WatchRegistry& registry, WatchTable table, const Path& path) {
  Ref<WatchState> watch = Ref<WatchState>::make();
  registry.add(table, path, *watch);
  return watch;
}

// The event or the error; empty before.
std::string outcome_of(const Ref<WatchState>& watch) {
  const std::optional<Result<WatchEvent>>& outcome = watch->outcome();
  if (!outcome) return "";
  if (!*outcome) return std::string(name(outcome->error()));
  return std::string(name((*outcome)->type())) + ' ' + (*outcome)->path().string();
}

TEST(WatchRegistryTest, TableFollowsFromTheReadAndItsOutcome) {
  EXPECT_EQ(table_of(OpCode::kGetData, std::nullopt), WatchTable::kNode);
  EXPECT_EQ(table_of(OpCode::kExists, std::nullopt), WatchTable::kNode);
  EXPECT_EQ(table_of(OpCode::kGetChildren, std::nullopt), WatchTable::kChild);
  EXPECT_EQ(table_of(OpCode::kExists, Error::kNoNode), WatchTable::kExist);
  EXPECT_EQ(table_of(OpCode::kGetData, Error::kNoNode), WatchTable::kNone);
  EXPECT_EQ(table_of(OpCode::kGetChildren, Error::kNoNode), WatchTable::kNone);
  EXPECT_EQ(table_of(OpCode::kExists, Error::kNoAuth), WatchTable::kNone);
}

TEST(WatchRegistryTest, EventConcernsTheTablesThatTheCClientEmpties) {
  struct Case {
    EventType type;
    bool data;
    bool child;
  };
  for (const Case& expected :
       {Case{EventType::kCreated, true, false}, Case{EventType::kChanged, true, false},
        Case{EventType::kChild, false, true}, Case{EventType::kDeleted, true, true}}) {
    WatchRegistry registry;
    const auto node = added(registry, WatchTable::kNode, "/a");
    const auto exist = added(registry, WatchTable::kExist, "/a");
    const auto child = added(registry, WatchTable::kChild, "/a");
    const auto other = added(registry, WatchTable::kNode, "/b");
    registry.fire(expected.type, "/a", "/shown");
    const std::string event = std::string(name(expected.type)) + " /shown";
    EXPECT_EQ(outcome_of(node), expected.data ? event : "");
    EXPECT_EQ(outcome_of(exist), expected.data ? event : "");
    EXPECT_EQ(outcome_of(child), expected.child ? event : "");
    EXPECT_EQ(outcome_of(other), "");
    EXPECT_EQ(registry.paths_in(WatchTable::kExist).empty(), expected.data);
    EXPECT_EQ(registry.paths_in(WatchTable::kChild).empty(), expected.child);
  }
}

TEST(WatchRegistryTest, RemovalConcernsTheWatchesOfItsType) {
  WatchRegistry registry;
  const auto data = added(registry, WatchTable::kNode, "/a");
  const auto child = added(registry, WatchTable::kChild, "/a");
  registry.removed("/a", WatchType::kData);
  EXPECT_EQ(outcome_of(data), name(Error::kNoWatcher));
  EXPECT_EQ(outcome_of(child), "");
  registry.removed("/a", WatchType::kAny);
  EXPECT_EQ(outcome_of(child), name(Error::kNoWatcher));
  EXPECT_TRUE(registry.empty());
}

TEST(WatchRegistryTest, EndOfTheSessionEndsEveryWatch) {
  WatchRegistry registry;
  const auto one = added(registry, WatchTable::kNode, "/a");
  const auto other = added(registry, WatchTable::kChild, "/b");
  registry.end(Error::kSessionExpired);
  EXPECT_EQ(outcome_of(one), name(Error::kSessionExpired));
  EXPECT_EQ(outcome_of(other), name(Error::kSessionExpired));
  EXPECT_TRUE(registry.empty());
}

TEST(WatchRegistryTest, WatchesAreListedInTheOrderOfRegistration) {
  WatchRegistry registry;
  const auto z = added(registry, WatchTable::kNode, "/z");
  const auto a = added(registry, WatchTable::kNode, "/a");
  const auto m = added(registry, WatchTable::kChild, "/m");
  const auto again = added(registry, WatchTable::kNode, "/z");
  EXPECT_EQ(registry.watched(), (std::vector<Path>{"/z", "/a", "/m", "/z"}));
}

TEST(WatchRegistryTest, PathsAreListedInTheOrderOfTheClientsTable) {
  WatchRegistry registry;
  const auto z = added(registry, WatchTable::kNode, "/z");
  const auto a = added(registry, WatchTable::kNode, "/a");
  const auto m = added(registry, WatchTable::kChild, "/m");
  EXPECT_EQ(registry.paths_in(WatchTable::kNode), in_table_order({"/z", "/a"}));
  EXPECT_EQ(registry.paths_in(WatchTable::kChild), (std::vector<Path>{"/m"}));
}

TEST(WatchRegistryTest, WatchWithoutAnOwnerLeavesItsEntryInTheTable) {
  WatchRegistry registry;
  Ref<WatchState> watch = added(registry, WatchTable::kNode, "/a");
  watch = {};
  EXPECT_TRUE(registry.watched().empty());
  EXPECT_EQ(registry.paths_in(WatchTable::kNode), (std::vector<Path>{"/a"}));
  registry.fire(EventType::kDeleted, "/a", "/a");
  EXPECT_TRUE(registry.empty());
}

TEST(WatchRegistryTest, OwnerHearsOfAnAbandonedEntryAndRemovesIt) {
  CountingOwner owner;
  WatchRegistry registry(owner);
  registry.asked(OpCode::kGetData, "/a");
  EXPECT_EQ(registry.bytes(), 6U);  // A length and the path.
  Ref<WatchState> watch = added(registry, WatchTable::kNode, "/a");
  watch = {};
  EXPECT_EQ(owner.told, 0);  // A read in flight may leave another one.
  registry.answered(OpCode::kGetData, "/a");
  EXPECT_EQ(registry.abandoned_bytes(), 6U);
  const std::optional<WatchRegistry::Abandoned> entry = registry.next_abandoned();
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->path, Path("/a"));
  EXPECT_EQ(entry->type, WatchType::kData);
  EXPECT_FALSE(registry.next_abandoned());
  registry.removed("/a", WatchType::kData);
  registry.removal_ended("/a", WatchType::kData, false);
  EXPECT_TRUE(registry.empty());
  EXPECT_EQ(registry.bytes(), 0U);

  watch = added(registry, WatchTable::kNode, "/b");
  watch = {};
  EXPECT_EQ(owner.told, 1);
}

TEST(WatchRegistryTest, RemovesASingleWatch) {
  WatchRegistry registry;
  WatchRegistry of_another_session;
  const auto one = added(registry, WatchTable::kNode, "/a");
  const auto other = added(registry, WatchTable::kNode, "/a");
  EXPECT_FALSE(registry.find(one.get())->alone);
  EXPECT_FALSE(of_another_session.find(one.get()));
  EXPECT_FALSE(of_another_session.take_back(*one, true));
  EXPECT_FALSE(registry.find(nullptr));
  EXPECT_TRUE(registry.take_back(*one, false));
  EXPECT_EQ(outcome_of(one), name(Error::kNoWatcher));
  EXPECT_FALSE(registry.take_back(*one, false));
  EXPECT_TRUE(registry.find(other.get())->alone);
  EXPECT_TRUE(registry.take_back(*other, true));
  EXPECT_TRUE(registry.empty());
}

TEST(WatchRegistryTest, WatchMayOutliveTheRegistry) {
  auto registry = std::make_unique<WatchRegistry>();
  const auto watch = added(*registry, WatchTable::kNode, "/a");
  registry.reset();
  EXPECT_EQ(outcome_of(watch), "");
}

}  // namespace
}  // namespace lockstep
