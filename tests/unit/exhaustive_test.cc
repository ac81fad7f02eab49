#include "lockstep/fakezk/explore/exhaustive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/client.h"
#include "lockstep/fake/scenario.h"
#include "lockstep/fakezk/explore/schedule.h"
#include "lockstep/sleep.h"

namespace lockstep::fakezk {
namespace {

using namespace std::chrono_literals;

// One process of a small program, and what all of them share behind ZooKeeper's back.
class Actor {
 public:
  Actor(Process& process, std::string name, int& common, Verdict& verdict)
      : client_(std::in_place, process, std::move(name)), verdict_(verdict), shared(common) {}
  [[nodiscard]] Verdict& verdict() { return verdict_; }
  [[nodiscard]] fake::FakeClient& client() { return *client_; }
  void restart() {
    Process& process = client_->process();
    std::string name = client_->name();
    client_.emplace(process, std::move(name));
  }

 private:
  std::optional<fake::FakeClient> client_;
  Verdict& verdict_;

 public:
  int& shared;
};

using Act = Task<void> (*)(Actor& self);

ServerOptions quiet(ReplicaIndex replicas = 1) {
  ServerOptions options;
  options.container_check_interval = Duration::zero();
  options.replicas = replicas;
  return options;
}

// A program of a few actors. "/a", "/b" and "/c" are there, and every actor has a session.
class Play final : public Program, private Restarter {
 public:
  explicit Play(std::vector<Act> acts, bool isolated = true, ServerOptions options = quiet())
      : acts_(std::move(acts)), isolated_(isolated), options_(options) {}

  // From the beginning of the search on every replica applies what is committed as late as it may.
  void let_all_lag() { all_lag_ = true; }

  [[nodiscard]] ServerOptions servers() const override { return options_; }
  [[nodiscard]] bool isolated() const override { return isolated_; }
  [[nodiscard]] Restarter* restarter() override { return this; }

  void start(World& world, Verdict& verdict) override {
    shared_ = 0;
    for (std::size_t i = 0; i < acts_.size(); ++i) {
      const auto process = static_cast<std::uint32_t>(i);
      actors_.emplace_back(world.add_process(), process_name(process), shared_, verdict);
    }
    world.set_faults(FaultPlan());
    world.set_tracer(nullptr);
    for (Actor& actor : actors_) actor.client().current();
    actors_.front().client().process().tasks().spawn(set_up(actors_.front()));
    Calm calm;
    while (world.step(calm)) {
    }
    for (ReplicaIndex i = 0; all_lag_ && i < options_.replicas; ++i) {
      world.servers().set_lagging(i, true, world.now());
    }
    world.begin_trace();
    for (std::size_t i = 0; i < acts_.size(); ++i) {
      actors_[i].client().process().tasks().spawn(acts_[i](actors_[i]));
    }
    world.drain();
  }
  void finish(World&) override {}
  void clear() override { actors_.clear(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return std::string(1, static_cast<char>('A' + process));
  }

 private:
  void restart(Process& process) override {
    Actor& actor = actors_[process.index()];
    actor.restart();
    process.tasks().spawn(acts_[process.index()](actor));
  }
  static Task<void> set_up(Actor& self) {
    const auto session = co_await self.client().session(Context());
    for (const char* const path : {"/a", "/b", "/c"}) {
      static_cast<void>(co_await (*session)->create(path, "0", CreateMode::kPersistent));
    }
  }

  std::vector<Act> acts_;
  bool isolated_;
  bool all_lag_ = false;
  ServerOptions options_;
  int shared_ = 0;
  std::deque<Actor> actors_;
};

ExhaustiveResult search(Program& program, Reduction reduction, std::string_view faults = "none",
                        std::uint32_t budget = 0, std::vector<ObjectKind> left_out = {}) {
  ExhaustiveOptions options;
  EXPECT_EQ(parse_fault_kinds(faults, options.limits.faults), "");
  options.limits.faults.set_total(budget);
  options.reduction = reduction;
  options.left_out = std::move(left_out);
  return search_exhaustively(program, options);
}

// All three ways to search see the same final states, and the reduced ones fewer executions.
void expect_agreement(Program& program, std::string_view faults = "none",
                      std::uint32_t budget = 0) {
  const ExhaustiveResult naive = search(program, Reduction::kNone, faults, budget);
  const ExhaustiveResult sleep = search(program, Reduction::kSleep, faults, budget);
  const ExhaustiveResult source = search(program, Reduction::kSource, faults, budget);
  for (const ExhaustiveResult* const result : {&naive, &sleep, &source}) {
    EXPECT_TRUE(result->exhausted);
    EXPECT_EQ(result->fault_budget, budget);
    EXPECT_FALSE(result->found);
    EXPECT_EQ(result->independence_violated, "");
  }
  EXPECT_EQ(sleep.final_states, naive.final_states);
  EXPECT_EQ(sleep.state_hash, naive.state_hash);
  EXPECT_EQ(source.final_states, naive.final_states);
  EXPECT_EQ(source.state_hash, naive.state_hash);
  EXPECT_LE(source.traces, naive.traces);
  EXPECT_LE(sleep.traces, naive.traces);
}

// Without that kind of object in the footprints, one of the reductions overlooks something, or
// notices that it would.
void expect_needed(ObjectKind kind, Program& program, std::string_view faults = "none",
                   std::uint32_t budget = 0) {
  const ExhaustiveResult naive = search(program, Reduction::kNone, faults, budget);
  bool noticed = false;
  for (const Reduction reduction : {Reduction::kSleep, Reduction::kSource}) {
    const ExhaustiveResult reduced = search(program, reduction, faults, budget, {kind});
    noticed =
        noticed || reduced.state_hash != naive.state_hash || !reduced.independence_violated.empty();
  }
  EXPECT_TRUE(noticed) << name(kind) << ", of " << naive.final_states << " final states";
}

template <char kZnode>
Task<void> write_once(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const char path[] = {'/', kZnode, '\0'};
  const Data data(self.client().name());
  static_cast<void>(co_await (*session)->set_data(Path(path), data));
}

Task<void> watch_two(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto a = co_await (*session)->get_data_watched("/a");
  const auto b = co_await (*session)->get_data_watched("/b");
  static_cast<void>(co_await a->watch.fired());
  static_cast<void>(co_await b->watch.fired());
}

// What another process has done in between is written down.
Task<void> count_in_memory(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const int before = self.shared++;
  static_cast<void>(co_await (*session)->sync("/a"));
  const int after = self.shared++;
  const std::string seen = std::to_string(before) + std::to_string(after);
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*session)->create(Path(path), Data(seen), CreateMode::kPersistent));
}

Task<void> sleep_and_write(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  const Data data(self.client().name());
  static_cast<void>(co_await (*session)->set_data("/a", data));
}

Task<void> write_the_time(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  const TimePoint now = self.client().executor().now();
  const std::string text = std::to_string(now.time_since_epoch().count());
  static_cast<void>(co_await (*session)->set_data("/a", Data(text)));
}

Task<void> ephemeral(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*session)->create(Path(path), Data(), CreateMode::kEphemeral));
}

Task<void> note_reply(Session& session, char mark, std::string& seen) {
  static_cast<void>(co_await session.sync("/b"));
  seen.push_back(mark);
}

// What it has written, the others know before their server does.
template <char kZnode>
Task<void> write_and_tell(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const char path[] = {'/', kZnode, '\0'};
  static_cast<void>(co_await (*session)->set_data(Path(path), "1"));
  ++self.shared;
}

// If the other one's write comes behind this one's in the log, it may not be seen yet.
Task<void> write_and_read(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->set_data("/a", "1"));
  static_cast<void>(co_await (*session)->get_data("/b"));
}

Task<void> read_and_compare(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->get_data("/c"));
  std::string seen = std::to_string(self.shared);
  const auto b = co_await (*session)->get_data("/b");
  seen += b->data.view();
  const auto a = co_await (*session)->get_data("/a");
  seen += a->data.view();
  static_cast<void>(co_await (*session)->create("/seen", Data(seen), CreateMode::kPersistent));
}

// Both reads are under way together: a server that is behind shows a part of the log.
Task<void> read_both_and_tell(Actor& self) {
  const auto session = co_await self.client().session(Context());
  auto read_a = (*session)->get_data("/a");
  auto read_b = (*session)->get_data("/b");
  const auto a = co_await read_a;
  const auto b = co_await read_b;
  const std::string seen = std::string(a->data.view()) + std::string(b->data.view());
  static_cast<void>(co_await (*session)->set_data("/c", Data(seen)));
}

Task<void> report_to_judge(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  World& world = self.client().process().world();
  if (FootprintRecorder* const recorder = world.recorder()) recorder->writes(ObjectKind::kOracle);
  if (++self.shared == 1 && self.client().name() == "A") {  // Calmly B is.
    self.verdict().report("user:order", "A was first", world.steps());
  }
}

// A second session for the same process, while the search runs.
Task<void> open_another(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->close());
  const auto next = co_await self.client().session(Context());
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*next)->create(Path(path), Data(), CreateMode::kEphemeral));
}

Task<void> read_twice(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->get_data("/a"));
  static_cast<void>(co_await (*session)->get_data("/b"));
}

// Two sessions of one process: which of them is answered first, only the process knows.
Task<void> ask_twice(Actor& self) {
  const auto session = co_await self.client().session(Context());
  fake::FakeClient second(self.client().process(), "second");
  const auto other = co_await second.session(Context());
  std::string seen;
  TaskSet both;
  both.spawn(note_reply(**session, '1', seen));
  both.spawn(note_reply(**other, '2', seen));
  while (seen.size() < 2) static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  static_cast<void>(co_await (*session)->set_data("/a", Data(seen)));
}

TEST(ExhaustiveTest, StepsOnDisjointZnodesAreOneTrace) {
  Play play({&write_once<'a'>, &write_once<'b'>, &write_once<'c'>});
  EXPECT_EQ(search(play, Reduction::kSource).traces, 1U);
  EXPECT_EQ(search(play, Reduction::kSleep).traces, 1U);
  EXPECT_EQ(search(play, Reduction::kNone).traces, 90U);  // 6! / 2!^3
}

TEST(ExhaustiveTest, WritesOfOneZnodeAreTriedInEveryOrder) {
  Play play({&write_once<'a'>, &write_once<'a'>, &write_once<'a'>});
  EXPECT_EQ(search(play, Reduction::kSource).traces, 6U);
  expect_agreement(play);
  expect_needed(ObjectKind::kZnode, play);
}

TEST(ExhaustiveTest, TwoWatchesOfOneSession) {
  Play play({&watch_two, &write_once<'a'>, &write_once<'b'>});
  expect_agreement(play);
  expect_needed(ObjectKind::kInbox, play);
}

TEST(ExhaustiveTest, UserMemory) {
  Play play({&count_in_memory, &count_in_memory}, false);
  expect_agreement(play);
  expect_needed(ObjectKind::kUserMemory, play);
}

TEST(ExhaustiveTest, RacingTimers) {
  Play play({&sleep_and_write, &sleep_and_write});
  expect_agreement(play);
}

TEST(ExhaustiveTest, TheMemoryOfAProcess) {
  Play play({&ask_twice});
  expect_agreement(play);
  expect_needed(ObjectKind::kProcess, play);
}

TEST(ExhaustiveTest, AProcessThatStalls) {
  Play play({&write_once<'a'>, &write_once<'a'>});
  expect_agreement(play, "stall", 1);
  Play late({&sleep_and_write, &write_once<'a'>});
  expect_agreement(late, "stall", 1);
}

TEST(ExhaustiveTest, AProcessThatCrashes) {
  Play play({&write_once<'a'>, &ephemeral});
  expect_agreement(play, "crash", 1);
}

TEST(ExhaustiveTest, AClockThatDrifts) {
  Play play({&write_the_time, &sleep_and_write});
  expect_agreement(play, "clock-drift", 1);
}

TEST(ExhaustiveTest, AnOperatorDeletes) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "foreign-delete", 1);
}

TEST(ExhaustiveTest, TheClock) {
  Play play({&write_the_time, &ephemeral});
  expect_agreement(play, "expiry", 1);
  expect_needed(ObjectKind::kClock, play, "expiry", 1);
}

TEST(ExhaustiveTest, TwoExpiriesInOneBucket) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "expiry", 2);
  expect_needed(ObjectKind::kSession, play, "kill-session", 1);
}

TEST(ExhaustiveTest, SessionsOpenedMeanwhile) {
  Play play({&open_another, &open_another});
  expect_agreement(play);
  expect_needed(ObjectKind::kSessionTable, play);
  expect_needed(ObjectKind::kLinkTable, play);
}

TEST(ExhaustiveTest, ACutAndWhatItLoses) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut", 1);
  expect_agreement(play, "cut", 2);
  expect_needed(ObjectKind::kLink, play, "cut", 1);
}

TEST(ExhaustiveTest, TheBudgetIsShared) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut,kill-session", 2);
}

TEST(ExhaustiveTest, ALaggingReplica) {
  Play play({&write_once<'a'>, &read_twice}, true, quiet(2));
  expect_agreement(play, "lag", 1);
}

TEST(ExhaustiveTest, AReplicaThatIsBehindWhatOthersKnow) {
  Play play({&write_and_tell<'a'>, &read_and_compare}, false, quiet(2));
  expect_agreement(play, "lag", 1);
  expect_needed(ObjectKind::kReplica, play, "lag", 1);
}

TEST(ExhaustiveTest, TheOrderOfTheLog) {
  Play play({&write_once<'b'>, &write_and_read}, true, quiet(2));
  play.let_all_lag();
  expect_agreement(play);
}

// Two writes that have nothing in common but the order in which everybody hears of them.
TEST(ExhaustiveTest, AReaderSeesTheOrderOfTheLog) {
  Play play({&write_once<'a'>, &write_once<'b'>, &read_both_and_tell}, true, quiet(2));
  play.let_all_lag();
  const ExhaustiveResult sleep = search(play, Reduction::kSleep);
  const ExhaustiveResult source = search(play, Reduction::kSource);
  EXPECT_TRUE(sleep.exhausted);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.final_states, 4U);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
}

// What it comes to is seen without it as well, because who replicates is asked at every write. But
// the log itself differs, and a search that takes two writes for independent notices that.
TEST(ExhaustiveTest, TheOrderOfTheLogIsPartOfTheState) {
  Play play({&write_once<'a'>, &write_once<'b'>, &write_once<'c'>, &read_twice}, true, quiet(2));
  play.let_all_lag();
  EXPECT_TRUE(search(play, Reduction::kSource).exhausted);
  const ExhaustiveResult without = search(play, Reduction::kSource, "none", 0, {ObjectKind::kLog});
  EXPECT_FALSE(without.exhausted);
  EXPECT_NE(without.independence_violated.find("apply"), std::string::npos)
      << without.independence_violated;
}

// A judge who minds in which order two processes come to him.
TEST(ExhaustiveTest, WhatAnOracleRemembers) {
  Play play({&report_to_judge, &report_to_judge});
  EXPECT_TRUE(search(play, Reduction::kSource).found);
  EXPECT_TRUE(search(play, Reduction::kSleep).found);
  EXPECT_FALSE(search(play, Reduction::kSource, "none", 0, {ObjectKind::kOracle}).found);
}

TEST(ExhaustiveTest, AMutexIsSearchedThroughWithoutAndWithAFault) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1});
  expect_agreement(scenario);
  const ExhaustiveResult sleep = search(scenario, Reduction::kSleep, "cut,kill-session", 1);
  const ExhaustiveResult source = search(scenario, Reduction::kSource, "cut,kill-session", 1);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
  // Without the faults in the footprints some are overlooked, although all final states are seen.
  const ExhaustiveResult without =
      search(scenario, Reduction::kSleep, "cut,kill-session", 1, {ObjectKind::kFaults});
  EXPECT_LT(without.traces, sleep.traces);
  EXPECT_GT(source.pairs_checked, 0U);
  ASSERT_EQ(source.traces_by_fault.size(), 2U);
  EXPECT_EQ(source.traces_by_fault[0].first, FaultKind::kCut);
  EXPECT_GT(source.traces_by_fault[0].second, 0U);
}

// A fault that sleeps is not forgotten when a step makes it impossible.
TEST(ExhaustiveTest, AFaultThatAStepMakesImpossible) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1},
                              fake::LastContender::kImpatient);
  const ExhaustiveResult sleep = search(scenario, Reduction::kSleep, "clock-drift", 1);
  const ExhaustiveResult source = search(scenario, Reduction::kSource, "clock-drift", 1);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
}

// Nor is one that a step keeps from ever becoming possible.
TEST(ExhaustiveTest, AFaultThatIsKeptFromBecomingPossible) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1},
                              fake::LastContender::kImpatient);
  const ExhaustiveResult sleep = search(scenario, Reduction::kSleep, "late-apply,timer", 2);
  const ExhaustiveResult source = search(scenario, Reduction::kSource, "late-apply,timer", 2);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.final_states, sleep.final_states);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
}

TEST(ExhaustiveTest, EndsWhenItIsToldTo) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{3, 1});
  ExhaustiveOptions options;
  options.limits.faults = FaultPlan::all(2);
  options.keep_going = [](std::uint64_t executions) { return executions < 5'000; };
  const ExhaustiveResult result = search_exhaustively(scenario, options);
  EXPECT_FALSE(result.exhausted);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.budgets_finished, 1U);
  EXPECT_EQ(result.fault_budget, 0U);
}

TEST(ExhaustiveTest, EndsAfterExactlyTheGivenNumberOfExecutions) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1});
  for (const ReductionName& reduction : reductions()) {
    ExhaustiveOptions options;
    options.reduction = reduction.reduction;
    options.limits.faults = FaultPlan::all(1);
    for (const std::uint64_t executions : {1, 2, 300}) {
      options.executions = executions;
      const ExhaustiveResult result = search_exhaustively(scenario, options);
      EXPECT_EQ(result.executions, executions) << reduction.name;
      EXPECT_FALSE(result.exhausted);
      EXPECT_EQ(result.fault_budget_reached, result.budgets_finished);
    }
  }
}

TEST(ExhaustiveTest, ANumberThatIsJustEnoughExhaustsIt) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1});
  ExhaustiveOptions options;
  const ExhaustiveResult all = search_exhaustively(scenario, options);
  ASSERT_TRUE(all.exhausted);
  options.executions = all.executions;
  EXPECT_TRUE(search_exhaustively(scenario, options).exhausted);
  options.executions = all.executions - 1;
  EXPECT_FALSE(search_exhaustively(scenario, options).exhausted);
}

}  // namespace
}  // namespace lockstep::fakezk
