#include "lockstep/fakezk/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/search/program.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/strategy.h"
#include "lockstep/sleep.h"
#include "scenarios/registry.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// ------------------------------------------------------------------------------------- a cut

// Five requests are in flight; the server has taken the first of them, the client has received the
// first of its replies.
void expect_prefixes_survive(std::uint32_t accepted, std::uint32_t received) {
  SCOPED_TRACE(testing::Message() << accepted << " accepted, " << received << " received");
  Simulation simulation;
  const auto session = simulation.open("A");
  std::vector<Started<Result<Created>>> creates;
  creates.reserve(5);
  for (int i = 0; i < 5; ++i) {
    creates.push_back(simulation.start(create(*session, Path("/") / std::to_string(i))));
  }
  simulation.cut(*session, accepted, received);
  simulation.settle();
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(simulation.exists(Path("/") / std::to_string(i)), i < accepted) << i;
    EXPECT_EQ(error_of(creates[i].result()), i < std::min(accepted, received)
                                                 ? std::nullopt
                                                 : std::optional<Error>(Error::kConnectionLoss))
        << i;
  }
  EXPECT_EQ(session->state(), SessionState::kConnected);
}

TEST(WorldTest, CutLosesASuffixOfEachDirectionAndNothingElse) {
  for (std::uint32_t accepted = 0; accepted <= 5; ++accepted) {
    for (std::uint32_t received = 0; received <= 6; ++received) {
      expect_prefixes_survive(accepted, received);
    }
  }
}

TEST(WorldTest, ConnectionIsCutOnce) {
  Simulation simulation;
  const auto session = simulation.open("A");
  simulation.cut(*session);
  simulation.cut(*session);
  EXPECT_EQ(simulation.world().network()[session->link()].inbox.size(), 1U);
  simulation.settle();
  EXPECT_EQ(session->state(), SessionState::kConnected);
}

// -------------------------------------------------------------------------------------- time

Task<void> note_time(Executor& executor, Duration after, std::vector<TimePoint>& times) {
  static_cast<void>(co_await sleep_for(executor, after));
  times.push_back(executor.now());
}
Task<void> note_time_twice(Executor& executor, Duration after, std::vector<TimePoint>& times) {
  co_await note_time(executor, after, times);
  co_await note_time(executor, after, times);
}

TEST(WorldTest, TimersFireOnlyWhenNothingElseCanHappen) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const TimePoint start = simulation.now();
  std::vector<TimePoint> times;
  simulation.start(note_time(session->executor(), 1ns, times));
  const auto created = simulation.start(create(*session, "/a"));
  Calm calm;
  while (!created.done()) {
    ASSERT_TRUE(simulation.world().step(calm));
    EXPECT_TRUE(times.empty());
  }
  EXPECT_EQ(simulation.now(), start);
  EXPECT_FALSE(simulation.world().step_without_time(calm));
  EXPECT_TRUE(times.empty());
  EXPECT_TRUE(simulation.world().step(calm));
  EXPECT_EQ(times, std::vector<TimePoint>{start + 1ns});
  EXPECT_FALSE(simulation.world().step(calm));
}

TEST(WorldTest, AdvancingTheClockFiresWhatIsDueInOrder) {
  Simulation simulation;
  Executor& executor = simulation.client("A").executor();
  std::vector<TimePoint> times;
  for (const Duration after : {3s, 1s, 9s, 2s}) simulation.start(note_time(executor, after, times));
  simulation.start(note_time_twice(executor, 2500ms, times));
  const TimePoint start = simulation.now();
  simulation.world().advance_clock(start + 5s);
  EXPECT_EQ(times, (std::vector<TimePoint>{start + 1s, start + 2s, start + 2500ms, start + 3s,
                                           start + 5s}));
  EXPECT_EQ(simulation.now(), start + 5s);
  simulation.world().advance_clock(start + 4s);  // Time never goes back.
  EXPECT_EQ(simulation.now(), start + 5s);
}

TEST(WorldTest, ExpiryMovesTheClockPastTheTimeoutAndFiresTimersOnTheWay) {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation.advance(500ms);
  std::vector<TimePoint> times;
  const TimePoint start = simulation.now();
  simulation.start(note_time(session->executor(), 9s, times));
  simulation.start(note_time(session->executor(), 13s, times));
  simulation.expire(*session);
  EXPECT_GT(simulation.now(), start + session->timeout());
  EXPECT_LE(simulation.now(), start + session->timeout() + 2s);
  EXPECT_EQ(times, std::vector<TimePoint>{start + 9s});
  // The end is decided, but not done: its ephemerals still exist, and the client knows nothing.
  EXPECT_TRUE(simulation.exists("/e"));
  EXPECT_EQ(session->state(), SessionState::kConnected);
  simulation.settle();
  EXPECT_FALSE(simulation.exists("/e"));
  EXPECT_EQ(session->state(), SessionState::kExpired);
}

TEST(WorldTest, KillingASessionTakesNoTime) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const TimePoint start = simulation.now();
  simulation.kill(*session);
  simulation.settle();
  EXPECT_EQ(session->state(), SessionState::kExpired);
  EXPECT_EQ(simulation.now(), start);
}

TEST(WorldTest, RequestsAfterTheDecisionAreDropped) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto before = simulation.start(create(*session, "/before"));
  run_steps(simulation, 1);
  simulation.kill(*session);
  const auto after = simulation.start(create(*session, "/after"));
  simulation.settle();
  EXPECT_TRUE(simulation.exists("/before"));
  EXPECT_TRUE(before.result().has_value());
  EXPECT_FALSE(simulation.exists("/after"));
  EXPECT_EQ(error_of(after.result()), Error::kConnectionLoss);
}

// -------------------------------------------------------------------------------- choosing

std::unique_ptr<search::Program> fair_mutex() {
  const scenarios::Scenario* const scenario = scenarios::find("fair-mutex");
  return scenario->make(scenario->size);
}

// A strategy, as a hunt begins it.
class Random {
 public:
  Random() : strategy_(search::make_random_walk()) {}
  search::Strategy& begin(std::uint64_t seed, std::uint32_t faults) {
    strategy_->begin(search::ExecutionStart{mix(seed), 40, {}, faults});
    return *strategy_;
  }

 private:
  std::unique_ptr<search::Strategy> strategy_;
};

search::ExecutionLimits limits(FaultPlan faults) { return {.faults = faults}; }

TEST(WorldTest, SameChoicesGiveTheSameTraceInAnyWorld) {
  const auto program = fair_mutex();
  World used(program->servers());
  Random random;
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const search::ExecutionLimits two_faults = limits(FaultPlan::all(2));
    const search::Outcome first = execute(used, *program, random.begin(seed, 2), two_faults);
    const search::Outcome again = execute(used, *program, random.begin(seed, 2), two_faults);
    EXPECT_EQ(again.trace_hash, first.trace_hash) << seed;
    const auto other_program = fair_mutex();
    World fresh(other_program->servers());
    const search::Outcome elsewhere =
        execute(fresh, *other_program, random.begin(seed, 2), two_faults);
    EXPECT_EQ(elsewhere.trace_hash, first.trace_hash) << seed;
    EXPECT_EQ(elsewhere.steps, first.steps) << seed;
    EXPECT_EQ(elsewhere.positions, first.positions) << seed;
    traces.insert(first.trace_hash);
  }
  EXPECT_GT(traces.size(), 90U);  // Different choices give different hashes.
}

TEST(WorldTest, DeviationsReproduceTheExecution) {
  const auto program = fair_mutex();
  World world(program->servers());
  Random random;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const search::ExecutionLimits three_faults = limits(FaultPlan::all(3));
    const search::Outcome ran = execute(world, *program, random.begin(seed, 3), three_faults);
    const std::vector<Deviation> deviations = world.deviations();
    search::Replay replay(deviations);
    const search::Outcome replayed = execute(world, *program, replay, three_faults);
    EXPECT_EQ(replayed.trace_hash, ran.trace_hash) << seed;
    EXPECT_EQ(replayed.steps, ran.steps) << seed;
    EXPECT_EQ(world.deviations(), deviations) << seed;
  }
}

TEST(WorldTest, ScheduleWithoutDeviationsIsCalm) {
  const auto program = fair_mutex();
  World world(program->servers());
  Calm calm;
  const search::Outcome was_calm = execute(world, *program, calm, limits(FaultPlan::all(2)));
  EXPECT_TRUE(world.deviations().empty());
  const std::vector<Deviation> none;
  search::Replay replay(none);
  const search::Outcome replayed = execute(world, *program, replay, limits(FaultPlan::all(2)));
  EXPECT_EQ(replayed.trace_hash, was_calm.trace_hash);
  EXPECT_EQ(replayed.positions, was_calm.positions);
}

TEST(WorldTest, OneOtherChoiceGivesAnotherTrace) {
  const auto program = fair_mutex();
  World world(program->servers());
  Calm calm;
  const search::Outcome was_calm = execute(world, *program, calm, limits(FaultPlan::all(1)));
  std::set<std::uint64_t> traces = {was_calm.trace_hash};
  std::size_t different = 1;
  for (std::uint32_t position = 0; position < was_calm.positions; ++position) {
    for (const bool fault : {false, true}) {
      const std::vector<Deviation> one = {Deviation{position, Choice{fault, 1}}};
      search::Replay replay(one);
      const search::Outcome outcome = execute(world, *program, replay, limits(FaultPlan::all(1)));
      if (world.deviations().empty()) {  // There was no alternative.
        EXPECT_EQ(outcome.trace_hash, was_calm.trace_hash) << position;
      } else {
        traces.insert(outcome.trace_hash);
        ++different;
      }
    }
  }
  EXPECT_GT(different, was_calm.positions);
  EXPECT_EQ(traces.size(), different);
}

// Any numbers make a schedule: indices are taken modulo, and an impossible fault becomes the
// default.
TEST(WorldTest, EveryChoiceIsValid) {
  const auto program = fair_mutex();
  World world(program->servers());
  Calm calm;
  const search::Outcome was_calm = execute(world, *program, calm, limits(FaultPlan()));
  std::vector<Deviation> wild;
  wild.reserve(200);
  for (std::uint32_t position = 0; position < 200; ++position) {
    wild.push_back(Deviation{position, Choice{true, 0xffffffffu - position}});
  }
  search::Replay no_faults(wild);
  const search::Outcome outcome = execute(world, *program, no_faults, limits(FaultPlan()));
  EXPECT_EQ(outcome.trace_hash, was_calm.trace_hash);
  EXPECT_TRUE(world.deviations().empty());
  search::Replay with_faults(wild);
  EXPECT_FALSE(execute(world, *program, with_faults, limits(FaultPlan::all(50))).violation);
  EXPECT_GE(world.faults_injected(), 5U);
}

// ---------------------------------------------------------------------------------- faults

// Takes a fault whenever one is possible, of each kind in turn, and counts them. Timers are rare:
// it takes every one.
class GreedyChooser final : public Chooser {
 public:
  Choice next(const Menu& menu) override {
    const std::span<const Event> faults = menu.faults();
    if (faults.empty()) return Choice{};
    const auto count = static_cast<std::uint32_t>(faults.size());
    const bool timer = faults.back().fault == FaultKind::kTimer;
    const std::uint32_t index = timer ? count - 1 : turn_++ % count;
    EXPECT_EQ(faults[index].kind, Event::Kind::kFault);
    ++taken[faults[index].fault];
    return Choice{true, index};
  }
  std::uint32_t number(std::uint32_t options) override { return options - 1; }

  std::map<FaultKind, std::uint32_t> taken;

 private:
  std::uint32_t turn_ = 0;
};

TEST(WorldTest, FaultsRespectTheirTotal) {
  const auto program = fair_mutex();
  World world(program->servers());
  for (const std::uint32_t total : {0u, 1u, 2u, 7u}) {
    GreedyChooser greedy;
    execute(world, *program, greedy, limits(FaultPlan::all(total)));
    EXPECT_EQ(world.faults_injected(), total);
    std::uint32_t taken = 0;
    for (const auto& [kind, count] : greedy.taken) taken += count;
    EXPECT_EQ(taken, total);
  }
}

TEST(WorldTest, FaultsRespectTheCapOfTheirKind) {
  const auto program = fair_mutex();
  World world(program->servers());
  const FaultPlan plan = lab::faults_called("cut:3,expiry:1,timer:2", 100);
  GreedyChooser greedy;
  execute(world, *program, greedy, limits(plan));
  EXPECT_EQ(greedy.taken,
            (std::map<FaultKind, std::uint32_t>{
                {FaultKind::kCut, 3}, {FaultKind::kExpiry, 1}, {FaultKind::kTimer, 2}}));
  GreedyChooser again;  // The reset also resets the used faults.
  execute(world, *program, again, limits(plan));
  EXPECT_EQ(again.taken, greedy.taken);
}

// Records its options, and takes the default.
class MenuReader final : public Chooser {
 public:
  Choice next(const Menu& menu) override {
    events.assign(menu.events().begin(), menu.events().end());
    faults.assign(menu.faults().begin(), menu.faults().end());
    return Choice{};
  }
  std::uint32_t number(std::uint32_t) override { return 0; }

  std::vector<Event> events;
  std::vector<Event> faults;
};

TEST(WorldTest, FaultsAreOfferedWhereTheyCanStrike) {
  Simulation simulation;
  const auto a = simulation.open("A");
  const auto b = simulation.open("B");
  simulation.kill(*b);
  simulation.settle();
  simulation.world().set_faults(FaultPlan::all(9));
  simulation.start(ignore(sync(*a, "/")));
  MenuReader reader;
  simulation.world().step(reader);
  const auto fault = [](FaultKind kind, std::uint32_t index) {
    return Event{Event::Kind::kFault, kind, index};
  };
  // One connection, one living session, and no timer.
  EXPECT_EQ(reader.faults,
            (std::vector<Event>{fault(FaultKind::kCut, a->link()), fault(FaultKind::kExpiry, 0),
                                fault(FaultKind::kKillSession, 0)}));
  simulation.start(ignore(sync(*a, "/", simulation.now() + 1s)));
  simulation.world().step(reader);
  EXPECT_EQ(reader.faults.back(), fault(FaultKind::kTimer, 0));
  simulation.start(ignore(create(*a, "/a")));
  simulation.world().step(reader);
  EXPECT_EQ(reader.faults.back(), fault(FaultKind::kLateApply, a->link()));
}

// Takes one fault by its index, without looking at the others.
class TakesFault final : public Chooser {
 public:
  explicit TakesFault(std::uint32_t index) : index_(index) {}
  Choice next(const Menu&) override { return Choice{true, index_}; }
  std::uint32_t number(std::uint32_t) override { return 0; }

 private:
  std::uint32_t index_;
};

TEST(WorldTest, AFaultIsTakenByItsIndexAmongAllModuloTheirNumber) {
  for (const std::uint32_t index : {0u, 1u, 2u, 3u, 5u}) {
    Simulation simulation;
    const auto a = simulation.open("A");
    simulation.world().set_faults(FaultPlan::all(9));
    simulation.start(ignore(sync(*a, "/")));
    TakesFault taker(index);
    simulation.world().step(taker);
    ASSERT_EQ(simulation.world().deviations().size(), 1U) << index;
    // A connection, and its session twice.
    EXPECT_EQ(simulation.world().deviations().back().choice, (Choice{true, index % 3})) << index;
  }
}

TEST(WorldTest, FaultsOfReplicasAreOfferedWhereThereAreSeveral) {
  ServerOptions options{.replicas = 2};
  Simulation simulation(options);
  const auto a = simulation.open("A");
  simulation.fall_behind(1);
  simulation.world().set_faults(lab::faults_called("lag,replica-partition,leader-change", 9));
  simulation.start(ignore(sync(*a, "/")));
  MenuReader reader;
  simulation.world().step(reader);
  const auto fault = [](FaultKind kind, std::uint32_t index) {
    return Event{Event::Kind::kFault, kind, index};
  };
  EXPECT_EQ(reader.faults,
            (std::vector<Event>{fault(FaultKind::kLag, 0), fault(FaultKind::kReplicaPartition, 0),
                                fault(FaultKind::kReplicaPartition, 1),
                                fault(FaultKind::kLeaderChange, 0)}));
}

TEST(WorldTest, CalmOrderGoesOnWithTheSameClient) {
  Simulation simulation;
  const auto a = simulation.open("A");
  const auto b = simulation.open("B");
  for (const auto& session : {a, b}) {
    static_cast<void>(session->sync("/"));
    static_cast<void>(session->sync("/"));
  }
  const auto event = [](Event::Kind kind, const FakeSession& session) {
    return Event{kind, FaultKind::kCut, session.link()};
  };
  MenuReader reader;  // B was the last to be served, so it comes first.
  simulation.world().step(reader);
  EXPECT_EQ(reader.events,
            (std::vector<Event>{event(Event::Kind::kApply, *b), event(Event::Kind::kApply, *a)}));
  simulation.world().step(reader);  // Now B also has a reply.
  EXPECT_EQ(reader.events,
            (std::vector<Event>{event(Event::Kind::kDeliver, *b), event(Event::Kind::kApply, *b),
                                event(Event::Kind::kApply, *a)}));
  simulation.kill(*a);  // The deletion of its ephemerals can wait.
  simulation.world().step(reader);
  EXPECT_EQ(reader.events.back().kind, Event::Kind::kCloseSession);
  EXPECT_GT(reader.events.size(), 1U);
}

}  // namespace
}  // namespace lockstep::fakezk
