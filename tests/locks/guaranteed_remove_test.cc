#include "lockstep/guaranteed_remove.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class GuaranteedRemoveTest : public SimulatedTest {
 protected:
  GuaranteedRemoveTest() { must(simulation_.run(create(*other_, "/q")), "create /q"); }
  Path contender(std::string_view name, FakeSession& owner) {
    const Path prefix = Path("/q") / name;
    return must(simulation_.run(create(owner, prefix, Data(), CreateMode::kEphemeralSequential)),
                "create")
        .path;
  }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("other");
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(GuaranteedRemoveTest, ReturnsAtOnceAndDeletesInTheBackground) {
  const Path path = contender("a-", *session_);
  remove_guaranteed(*session_, path);
  EXPECT_TRUE(simulation_.exists(path));
  EXPECT_FALSE(session_->background().empty());
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(path));
  EXPECT_TRUE(session_->background().empty());
}

TEST_F(GuaranteedRemoveTest, EndsIfTheZnodeIsGoneAlready) {
  const RequestCounter requests(simulation_);
  remove_guaranteed(*session_, "/q/never");
  simulation_.settle();
  EXPECT_TRUE(session_->background().empty());
  EXPECT_EQ(requests.of(*session_), 1U);
}

TEST_F(GuaranteedRemoveTest, DeletesWhereverTwoCutsFall) {
  for (int first = 0; first < 6; ++first) {
    for (int second = 0; second < 6; ++second) {
      for (const std::uint32_t accepted : {0, 1}) {
        SCOPED_TRACE(testing::Message() << first << ' ' << second << ' ' << accepted);
        const Path path = contender("a-", *session_);
        remove_guaranteed(*session_, path);
        for (const int steps : {first, second}) {
          run_steps(simulation_, steps);
          const bool any = !simulation_.world().network()[session_->link()].requests.empty();
          simulation_.cut(*session_, any ? accepted : 0);
        }
        simulation_.settle();
        EXPECT_FALSE(simulation_.exists(path));
        EXPECT_TRUE(session_->background().empty());
      }
    }
  }
}

TEST_F(GuaranteedRemoveTest, WaitsUntilTheConnectionIsBack) {
  const Path path = contender("a-", *session_);
  disconnect(simulation_, *session_);
  remove_guaranteed(*session_, path);
  simulation_.advance(3s);
  EXPECT_TRUE(simulation_.exists(path));
  reconnect(simulation_, *session_);
  EXPECT_FALSE(simulation_.exists(path));
}

TEST_F(GuaranteedRemoveTest, EndsWithTheSession) {
  const Path path = contender("a-", *session_);
  disconnect(simulation_, *session_);
  remove_guaranteed(*session_, path);
  remove_guaranteed_by_guid(*session_, "/q", "b-");
  simulation_.expire(*session_);
  const RequestCounter requests(simulation_);
  reconnect(simulation_, *session_);
  EXPECT_EQ(session_->state(), SessionState::kExpired);
  EXPECT_TRUE(session_->background().empty());
  EXPECT_EQ(requests.of(*session_), 0U);
}

TEST_F(GuaranteedRemoveTest, GivesUpOnAPermanentError) {
  must(simulation_.run(create(*session_, "/q/parent")), "create");
  must(simulation_.run(create(*session_, "/q/parent/child")), "create");
  remove_guaranteed(*session_, "/q/parent");
  simulation_.settle();
  EXPECT_TRUE(session_->background().empty());
  EXPECT_TRUE(simulation_.exists("/q/parent"));
}

TEST_F(GuaranteedRemoveTest, ByGuidDeletesOnlyZnodesThatBeginWithIt) {
  contender("_c_1-lock-", *session_);
  const Path kept = contender("_c_2-lock-", *session_);
  contender("_c_1-lock-", *session_);
  const Path inside = contender("x_c_1-lock-", *session_);
  remove_guaranteed_by_guid(*session_, "/q", "_c_1");
  simulation_.settle();
  EXPECT_EQ(children(simulation_, "/q"),
            (std::vector<std::string>{std::string(kept.name()), std::string(inside.name())}));
}

TEST_F(GuaranteedRemoveTest, ByGuidFindsACreateInFlight) {
  simulation_.hold(*session_, OpCode::kCreate);
  const auto created = simulation_.start(
      create(*session_, "/q/_c_1-lock-", Data(), CreateMode::kEphemeralSequential));
  remove_guaranteed_by_guid(*session_, "/q", "_c_1");
  simulation_.settle();
  let_go_and_settle(*session_);
  EXPECT_TRUE(created.result().has_value());
  EXPECT_TRUE(children(simulation_, "/q").empty());
}

// The answer of a lagging server that the znode is missing counts only after it has caught up.
TEST_F(GuaranteedRemoveTest, ByGuidSyncsBeforeItLists) {
  const RequestCounter requests(simulation_);
  simulation_.hold(*session_, OpCode::kGetChildren);
  remove_guaranteed_by_guid(*session_, "/q", "_c_1");
  simulation_.settle();
  EXPECT_EQ(requests.of(*session_, OpCode::kSync), 1U);
  let_go_and_settle(*session_);
  EXPECT_EQ(requests.of(*session_), 2U);
}

TEST_F(GuaranteedRemoveTest, ByGuidDeletesWhereverTwoCutsFall) {
  for (int first = 0; first < 10; ++first) {
    for (int second = 0; second < 10; ++second) {
      SCOPED_TRACE(testing::Message() << first << ' ' << second);
      contender("_c_1-lock-", *session_);
      contender("_c_1-lock-", *session_);
      remove_guaranteed_by_guid(*session_, "/q", "_c_1");
      for (const int steps : {first, second}) {
        run_steps(simulation_, steps);
        simulation_.cut(*session_);
      }
      simulation_.settle();
      EXPECT_TRUE(children(simulation_, "/q").empty());
      EXPECT_TRUE(session_->background().empty());
    }
  }
}

TEST_F(GuaranteedRemoveTest, ByGuidEndsIfTheParentIsGone) {
  must(simulation_.run(remove(*other_, "/q")), "remove");
  remove_guaranteed_by_guid(*session_, "/q", "_c_1");
  simulation_.settle();
  EXPECT_TRUE(session_->background().empty());
}

}  // namespace
}  // namespace lockstep
