#include "lockstep/search/chronicler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/by_hand.h"
#include "support/numbered.h"

namespace lockstep::search {
namespace {

using namespace unit;

class ChroniclerTest : public SimulatedTest {
 protected:
  // Begins to record; everything before is preparation.
  void begin() {
    simulation_.world().begin_trace();
    simulation_.world().set_tracer(&chronicler_);
  }
  ~ChroniclerTest() override { simulation_.world().set_tracer(nullptr); }
  [[nodiscard]] Chronicle written() const { return chronicler_.chronicle(Numbered()); }

  const std::shared_ptr<FakeSession> alice_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> bob_ = simulation_.open("B");
  Chronicler chronicler_{simulation_.world()};
};

TEST_F(ChroniclerTest, ChangesBelongToTheStepThatMadeThem) {
  must(simulation_.run(create(*alice_, "/old")), "create");
  begin();
  must(simulation_.run(create(*bob_, "/a", "x", CreateMode::kEphemeral)), "create");
  must(simulation_.run(set_data(*alice_, "/a", "y")), "set_data");
  simulation_.kill(*bob_);
  simulation_.settle();
  const Chronicle chronicle = written();
  ASSERT_EQ(chronicle.changes.size(), 4U);
  EXPECT_EQ(chronicle.changes[0].path, "/old");
  EXPECT_EQ(chronicle.changes[0].step, 0U);
  std::vector<std::uint32_t> steps;
  for (const ZnodeChange& change : chronicle.changes) steps.push_back(change.step);
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{0, 1, 3, 5}));
  EXPECT_EQ(chronicle.changes[1].owned, 1U);
  EXPECT_EQ(chronicle.changes[1].data.view(), "x");
  EXPECT_EQ(chronicle.changes[2].data.view(), "y");
  EXPECT_EQ(chronicle.changes[3].kind, fakezk::Change::Kind::kDeleted);
  const Moment& moment = chronicle.moments.at(chronicle.changes[3].moment);
  EXPECT_EQ(moment.kind, Moment::Kind::kServers);
  EXPECT_EQ(moment.process, 1U);
}

TEST_F(ChroniclerTest, AReplyNamesItsRequestAlsoAfterOthers) {
  begin();
  simulation_.hold_inbox(*alice_);
  const auto first = simulation_.start(sync(*alice_, "/"));
  const auto second = start_and_settle(exists(*alice_, "/none"));
  must(simulation_.run(create(*bob_, "/b")), "create");
  let_go_and_settle(*alice_);
  ASSERT_TRUE(first.done() && second.done());
  std::vector<std::string> pairs;
  const Chronicle chronicle = written();
  for (const Moment& moment : chronicle.moments) {
    if (moment.answers)
      pairs.push_back(chronicle.moments[*moment.answers].text + " / " + moment.text);
  }
  EXPECT_EQ(pairs, (std::vector<std::string>{"create /b: ok / create: ok", "sync: ok / sync: ok",
                                             "exists /none: no node / exists: no node"}));
}

TEST_F(ChroniclerTest, AWatchLastsFromItsRegistrationToItsEvent) {
  begin();
  const Watch watch = must(simulation_.run(watch_exists(*bob_, "/a")), "watch");
  const Watch kept = must(simulation_.run(watch_children(*bob_, "/")), "watch");
  must(simulation_.run(sync(*alice_, "/")), "sync");
  must(simulation_.run(create(*alice_, "/a")), "create");
  const Chronicle chronicle = written();
  ASSERT_EQ(chronicle.watches.size(), 2U);
  const WatchSpan& exists = chronicle.watches[0];
  EXPECT_EQ(exists.path, "/a");
  EXPECT_EQ(exists.process, 1U);
  EXPECT_FALSE(exists.children);
  EXPECT_EQ(exists.begins_after, 1U);
  const auto created = std::ranges::find(chronicle.changes, "/a", &ZnodeChange::path);
  ASSERT_NE(created, chronicle.changes.end());
  EXPECT_EQ(exists.ends_after, created->step);
  EXPECT_TRUE(chronicle.watches[1].children);
  EXPECT_EQ(chronicle.watches[1].begins_after, 3U);
}

TEST_F(ChroniclerTest, AGrantMayBeOverOnTheServersBeforeItsHolderHearsOfIt) {
  begin();
  must(simulation_.run(create(*bob_, "/lock")), "create");
  must(simulation_.run(remove(*alice_, "/lock")), "remove");
  simulation_.world().grant_begins(1, "/lock");
  simulation_.world().note(1, "HOLDS");
  const GrantSpan grant = written().grants.at(0);
  EXPECT_LT(grant.znode_gone, grant.begins);
  EXPECT_EQ(grant.ends, Chronicle::kNever);
}

TEST_F(ChroniclerTest, ACrashedProcessHoldsNothing) {
  begin();
  fakezk::World& world = simulation_.world();
  world.grant_begins(0, "/lock");
  world.grant_begins(1, "/other");
  fakezk::Step crash{.number = 1,
                     .event = {fakezk::Event::Kind::kFault, fakezk::FaultKind::kCrash, 0},
                     .now = simulation_.now()};
  chronicler_.step(crash);
  const Chronicle chronicle = written();
  EXPECT_EQ(chronicle.grants.at(0).ends, 0U);
  EXPECT_EQ(chronicle.grants.at(1).ends, Chronicle::kNever);
}

TEST_F(ChroniclerTest, DoesNotChangeTheExecution) {
  begin();
  must(simulation_.run(create(*bob_, "/a")), "create");
  const std::uint64_t watched = simulation_.world().trace_hash();
  Simulation other;
  const auto alice = other.open("A");
  const auto bob = other.open("B");
  other.world().begin_trace();
  must(other.run(create(*bob, "/a")), "create");
  EXPECT_EQ(watched, other.world().trace_hash());
}

TEST(ExcerptTest, LeavesOutTheMiddleOnlyOfMany) {
  Chronicle chronicle;
  chronicle.moments.resize(6, Moment{Moment::Kind::kClock, 0, 0, 0, ""});
  EXPECT_EQ(excerpt(chronicle, 2, 3).size(), 6U) << "a gap would take as much room as one line";
  chronicle.moments.resize(7, Moment{Moment::Kind::kClock, 0, 0, 0, ""});
  EXPECT_EQ(excerpt(chronicle, 2, 3), (std::vector<std::size_t>{0, 1, 4, 5, 6}));
}

}  // namespace
}  // namespace lockstep::search
