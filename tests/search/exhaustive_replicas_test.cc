#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lockstep/fair_mutex.h"
#include "lockstep/search/exhaustive.h"
#include "plays.h"
#include "scenarios/broken_lock.h"

// Footprints also contain how far each server has applied the log.
namespace lockstep::search {
namespace {

using namespace unit;

// The other clients learn of a write before the writer's server does.
template <char kZnode>
Task<void> write_and_tell(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const char path[] = {'/', kZnode, '\0'};
  static_cast<void>(co_await (*session)->set_data(Path(path), "1"));
  ++self.shared;
}

// If the other client's write follows this one in the log, the read may not show it yet.
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

// Both reads are in flight together: a lagging server shows a part of the log.
Task<void> read_both_and_tell(Actor& self) {
  const auto session = co_await self.client().session(Context());
  auto read_a = (*session)->get_data("/a");
  auto read_b = (*session)->get_data("/b");
  const auto a = co_await read_a;
  const auto b = co_await read_b;
  const std::string seen = std::string(a->data.view()) + std::string(b->data.view());
  static_cast<void>(co_await (*session)->set_data("/c", Data(seen)));
}

Task<void> read_twice(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->get_data("/a"));
  static_cast<void>(co_await (*session)->get_data("/b"));
}

TEST(ExhaustiveReplicasTest, ReductionsAgreeOnALaggingReplica) {
  Play play({&write_once<'a'>, &read_twice}, true, quiet(2));
  expect_agreement(play, "lag", 1);
}

// One client of three servers, one of which lags, with every fault of an ensemble.
TEST(ExhaustiveReplicasTest, ReductionsAgreeOnAMutexOnAnEnsemble) {
  lab::LockScenario scenario(scenarios::on_three_servers<FairMutex>(), lab::ScenarioSize{1, 1});
  for (const std::string_view fault : {"cut", "kill-session", "lag", "replica-partition", "expiry",
                                       "leader-change", "late-apply", "stall"}) {
    SCOPED_TRACE(fault);
    expect_agreement(scenario, fault, 1);
  }
}

TEST(ExhaustiveReplicasTest, ReductionsAgreeOnAReplicaThatLagsBehindItsClients) {
  Play play({&write_and_tell<'a'>, &read_and_compare}, false, quiet(2));
  expect_agreement(play, "lag", 1);
  expect_needed(fakezk::ObjectKind::kReplica, play, "lag", 1);
}

TEST(ExhaustiveReplicasTest, ReductionsAgreeOnTheOrderOfTheLog) {
  Play play({&write_once<'b'>, &write_and_read}, true, quiet(2));
  play.let_all_lag();
  expect_agreement(play);
}

// Two writes that share only the order in which clients see them.
TEST(ExhaustiveReplicasTest, AReaderSeesTheOrderOfTheLog) {
  Play play({&write_once<'a'>, &write_once<'b'>, &read_both_and_tell}, true, quiet(2));
  play.let_all_lag();
  const ExhaustiveResult sleep = explore(play, Reduction::kSleep);
  const ExhaustiveResult source = explore(play, Reduction::kSource);
  EXPECT_TRUE(sleep.exhausted);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.final_states, 4U);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
}

// The result is the same without the log, because every write reads who replicates. But the log
// itself differs, and a search that takes two writes for independent notices that.
TEST(ExhaustiveReplicasTest, TheOrderOfTheLogIsPartOfTheState) {
  Play play({&write_once<'a'>, &write_once<'b'>, &write_once<'c'>, &read_twice}, true, quiet(2));
  play.let_all_lag();
  EXPECT_TRUE(explore(play, Reduction::kSource).exhausted);
  const ExhaustiveResult without =
      explore(play, Reduction::kSource, "none", 0, {fakezk::ObjectKind::kLog});
  EXPECT_FALSE(without.exhausted);
  EXPECT_NE(without.independence_violated.find("apply"), std::string::npos)
      << without.independence_violated;
}

}  // namespace
}  // namespace lockstep::search
