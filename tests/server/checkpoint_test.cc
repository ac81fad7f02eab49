// Worlds that are prepared once and restored for each execution.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/search/program.h"
#include "lockstep/search/state_hash.h"
#include "lockstep/search/strategy.h"
#include "scenarios/registry.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Two connected sessions, and an operator's znode.
class CheckpointTest : public ::testing::Test {
 protected:
  explicit CheckpointTest(ServerOptions options = {}) : world_(options) {
    for (auto& session : sessions_) {
      session = std::make_unique<FakeSession>(world_.add_process(), 10s);
    }
    world_.settle();
    EXPECT_TRUE(
        world_.servers().create_as_operator(Request(OpCode::kCreate, Path("/a")), world_.now()));
  }
  ~CheckpointTest() override { end(); }

  Process& process() { return world_.process(0); }
  FakeSession& session() { return *sessions_[0]; }
  void spawn(Task<void> task) { process().tasks().spawn(std::move(task)); }
  [[nodiscard]] bool rests() const { return world_.checkpoint().has_value(); }

  void end() {
    world_.end();
    for (auto& session : sessions_) session.reset();
  }

  World world_;
  std::unique_ptr<FakeSession> sessions_[2];
};

Task<void> make_and_watch(Session& session, Path path) {
  static_cast<void>(co_await session.create(path, Data("x"), CreateMode::kEphemeralSequential));
  static_cast<void>(co_await session.get_children_watched(path.parent()));
  static_cast<void>(co_await session.set_data(path.parent(), Data("changed")));
}
Task<void> watch(Session& session, Path path) {
  static_cast<void>(co_await session.exists_watched(path));
}
Task<void> wait_for_ever(Session& session, Path path) {
  auto read = co_await session.exists_watched(path);
  static_cast<void>(co_await read->watch.fired());
}
Task<void> look_at_many(Session& session, int znodes) {
  for (int i = 0; i < znodes; ++i) {
    static_cast<void>(co_await session.exists("/name-" + std::to_string(i)));
  }
}
Task<void> make(Session& session, Path path, CreateMode mode) {
  static_cast<void>(co_await session.create(path, Data(), mode));
}

TEST_F(CheckpointTest, EverythingIsRestored) {
  static_cast<void>(process().random().next());
  const std::uint64_t before = search::state_hash(world_);
  const std::optional<World::Checkpoint> checkpoint = world_.checkpoint();
  ASSERT_TRUE(checkpoint.has_value());
  const std::uint64_t number = process().random().next();

  spawn(make_and_watch(session(), "/a/b-"));
  world_.drain();
  world_.settle();
  world_.faults().expire(1);
  world_.servers().finish_close(1, world_.now());
  world_.faults().drift(process(), true);
  world_.faults().stall(world_.process(1));
  const auto third = std::make_unique<FakeSession>(world_.add_process(), 10s);
  world_.hash_in(1);
  EXPECT_NE(search::state_hash(world_), before);
  end();

  ASSERT_TRUE(world_.reset_to(*checkpoint));
  EXPECT_EQ(search::state_hash(world_), before);
  EXPECT_EQ(process().random().next(), number);
  EXPECT_EQ(world_.now(), TimePoint{});
  EXPECT_EQ(world_.process_count(), 2U);
  EXPECT_EQ(world_.trace_hash(), 0U);
  EXPECT_EQ(world_.server().history().size(), 1U);
  Calm calm;
  EXPECT_FALSE(world_.step(calm));
}

// A session made from its snapshot does the same as the first one.
TEST_F(CheckpointTest, SessionsGoOnFromTheirSnapshots) {
  const std::optional<World::Checkpoint> checkpoint = world_.checkpoint();
  ASSERT_TRUE(checkpoint.has_value());
  const FakeSession::Snapshot snapshots[] = {sessions_[0]->snapshot(), sessions_[1]->snapshot()};
  Calm calm;
  std::vector<std::uint64_t> hashes;
  for (int execution = 0; execution < 3; ++execution) {
    world_.begin_trace();
    spawn(make_and_watch(session(), "/a/b-"));
    world_.drain();
    world_.faults().cut(session().link(), 1, 0);
    while (world_.step(calm)) {
    }
    EXPECT_EQ(session().state(), SessionState::kConnected);
    hashes.push_back(world_.trace_hash());
    end();
    ASSERT_TRUE(world_.reset_to(*checkpoint));
    for (std::uint32_t i = 0; i < 2; ++i) {
      sessions_[i] = std::make_unique<FakeSession>(world_.process(i), snapshots[i]);
      EXPECT_EQ(sessions_[i]->state(), SessionState::kConnected);
      EXPECT_EQ(sessions_[i]->id(), snapshots[i].session);
      EXPECT_EQ(sessions_[i]->timeout(), 10s);
    }
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST_F(CheckpointTest, ARequestInFlightCannotBeKept) {
  EXPECT_TRUE(rests());
  spawn(make(session(), "/b", CreateMode::kPersistent));
  EXPECT_FALSE(rests());
  world_.settle();
  EXPECT_TRUE(rests());
}

TEST_F(CheckpointTest, ATaskOrAWatchCannotBeKept) {
  spawn(wait_for_ever(session(), "/b"));
  world_.settle();
  EXPECT_FALSE(rests());
  world_.end_tasks();
  EXPECT_FALSE(rests());  // The server still has the watch.
  spawn(make(*sessions_[1], "/b", CreateMode::kPersistent));
  world_.settle();
  EXPECT_TRUE(rests());
}

TEST_F(CheckpointTest, ATimerOrAClockOfItsOwnCannotBeKept) {
  world_.faults().stall(process());
  EXPECT_FALSE(rests());
  world_.faults().wake(process());
  EXPECT_TRUE(rests());
  world_.faults().drift(process(), true);
  EXPECT_FALSE(rests());
}

TEST_F(CheckpointTest, AHeldLinkOrAMendedWorldCannotBeKept) {
  world_.network()[session().link()].inbox_flows = false;
  EXPECT_FALSE(rests());
  world_.network()[session().link()].inbox_flows = true;
  EXPECT_TRUE(rests());
  world_.heal();
  EXPECT_FALSE(rests());
}

TEST_F(CheckpointTest, TheEndOfASessionCannotBeKept) {
  world_.faults().kill_session(0);
  EXPECT_FALSE(rests());
  world_.servers().finish_close(0, world_.now());
  EXPECT_FALSE(rests());  // Its client has yet to learn of it.
}

// The servers would check for it.
TEST_F(CheckpointTest, AContainerCannotBeKept) {
  spawn(make(session(), "/container", CreateMode::kContainer));
  world_.settle();
  EXPECT_FALSE(rests());
}

// The world of the session has been reset since.
TEST_F(CheckpointTest, ALateSessionDoesNotTakeTheEndOfANewOne) {
  const std::optional<World::Checkpoint> checkpoint = world_.checkpoint();
  const FakeSession::Snapshot snapshot = session().snapshot();
  std::unique_ptr<FakeSession> late = std::move(sessions_[0]);
  end();
  ASSERT_TRUE(world_.reset_to(*checkpoint));
  sessions_[0] = std::make_unique<FakeSession>(process(), snapshot);
  late.reset();
  EXPECT_NE(world_.network()[snapshot.link].endpoint, nullptr);
}

TEST_F(CheckpointTest, AnotherWorldsCheckpointIsRefused) {
  const World other;
  const std::optional<World::Checkpoint> checkpoint = other.checkpoint();
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_FALSE(world_.reset_to(*checkpoint));
  EXPECT_EQ(world_.process_count(), 2U);
}

// The names of its znodes are gone.
TEST_F(CheckpointTest, ACheckpointFromBeforeAResetThatForgetsManyNamesIsRefused) {
  const std::optional<World::Checkpoint> checkpoint = world_.checkpoint();
  spawn(look_at_many(session(), 70'000));
  world_.settle();
  end();
  EXPECT_FALSE(world_.reset_to(*checkpoint));
  world_.reset();
  EXPECT_FALSE(world_.reset_to(*checkpoint));
}

TEST_F(CheckpointTest, ASessionThatIsNotAtRestHasNoSnapshot) {
  spawn(watch(session(), "/b"));
  EXPECT_DEATH(static_cast<void>(session().snapshot()), "not at rest");
  world_.settle();
  EXPECT_DEATH(static_cast<void>(session().snapshot()), "not at rest");  // It is watching.
}

// Listeners are not notified about objects that are destroyed with the world.
TEST_F(CheckpointTest, NoSessionIsHeardAfterTheEnd) {
  world_.end();
  const std::uint64_t before = search::state_hash(world_);
  for (auto& session : sessions_) session.reset();
  EXPECT_EQ(search::state_hash(world_), before);
}

// ------------------------------------------------------------------------------- whole scenarios

search::ExecutionLimits with_faults() { return {.faults = FaultPlan::all(2)}; }

std::uint64_t hash_of(World& world, search::Program& program, search::Strategy& strategy,
                      std::uint64_t index) {
  strategy.begin(search::ExecutionStart{mix(index), 40, {}, 2, kAllFaultKinds});
  return execute(world, program, strategy, with_faults()).trace_hash;
}

class PreparedOnceTest : public ::testing::TestWithParam<const scenarios::Scenario*> {
 protected:
  [[nodiscard]] static std::unique_ptr<search::Program> make_program() {
    return GetParam()->make(GetParam()->size);
  }
};

// An execution is the same whether its world was prepared or restored.
TEST_P(PreparedOnceTest, EveryExecutionIsAsInAFreshWorld) {
  const auto strategy = search::make_portfolio();
  const std::unique_ptr<search::Program> program = make_program();
  World world(program->servers());
  for (std::uint64_t index = 0; index < 40; ++index) {
    const std::unique_ptr<search::Program> fresh_program = make_program();
    World fresh_world(fresh_program->servers());
    const std::uint64_t hash = hash_of(fresh_world, *fresh_program, *strategy, index);
    EXPECT_EQ(hash_of(world, *program, *strategy, index), hash) << index;
  }
}

TEST_P(PreparedOnceTest, ProgramsMayShareAWorldAndWorldsAProgram) {
  const auto strategy = search::make_portfolio();
  const std::unique_ptr<search::Program> programs[] = {make_program(), make_program()};
  World worlds[] = {World(programs[0]->servers()), World(programs[0]->servers())};
  for (std::uint64_t index = 0; index < 8; ++index) {
    const std::uint64_t first = hash_of(worlds[0], *programs[0], *strategy, index);
    EXPECT_EQ(hash_of(worlds[0], *programs[1], *strategy, index), first);
    EXPECT_EQ(hash_of(worlds[1], *programs[0], *strategy, index), first);
  }
}

std::vector<const scenarios::Scenario*> recipes() {
  std::vector<const scenarios::Scenario*> found;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    if (scenario.kind == "recipe") found.push_back(&scenario);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Recipes, PreparedOnceTest, ::testing::ValuesIn(recipes()),
                         [](const auto& scenario) {
                           std::string name(scenario.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lockstep::fakezk
