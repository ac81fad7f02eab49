#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fake/client.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/search/schedule.h"
#include "lockstep/sleep.h"

// Small programs for exhaustive searches, with and without reductions.
namespace lockstep::unit {

using namespace fakezk;

// One process of a small program, and what all processes share outside of ZooKeeper.
class Actor {
 public:
  Actor(Process& process, std::string name, int& common, search::Verdict& verdict)
      : client_(std::in_place, process, std::move(name)), verdict_(verdict), shared(common) {}
  [[nodiscard]] search::Verdict& verdict() { return verdict_; }
  [[nodiscard]] fake::FakeClient& client() { return *client_; }
  void restart() {
    Process& process = client_->process();
    std::string name = client_->name();
    client_.emplace(process, std::move(name));
  }

 private:
  std::optional<fake::FakeClient> client_;
  search::Verdict& verdict_;

 public:
  int& shared;
};

using Act = Task<void> (*)(Actor& self);

inline ServerOptions quiet(ReplicaIndex replicas = 1) {
  return {.replicas = replicas, .container_check_interval = Duration::zero()};
}

// A program of a few actors. "/a", "/b" and "/c" exist, and every actor has a session.
class Play : public search::Program, private Restarter {
 public:
  explicit Play(std::vector<Act> acts, bool isolated = true, ServerOptions options = quiet())
      : acts_(std::move(acts)), isolated_(isolated), options_(options) {}

  // From the beginning of the search on, every replica applies commits as late as possible.
  void let_all_lag() { all_lag_ = true; }

  [[nodiscard]] ServerOptions servers() const override { return options_; }
  [[nodiscard]] bool isolated() const override { return isolated_; }
  [[nodiscard]] Restarter* restarter() override { return this; }

  void start(World& world, search::Verdict& verdict) override {
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

inline search::ExhaustiveResult explore(search::Program& program, search::Reduction reduction,
                                        std::string_view faults = "none", std::uint32_t budget = 0,
                                        std::vector<ObjectKind> left_out = {}) {
  search::ExhaustiveOptions options;
  EXPECT_EQ(search::parse_fault_kinds(faults, options.limits.faults), "");
  options.limits.faults.set_total(budget);
  options.reduction = reduction;
  options.left_out = std::move(left_out);
  return search::search_exhaustively(program, options);
}

// All three ways to search find the same traces and final states, and the reductions run fewer
// executions.
inline void expect_agreement(search::Program& program, std::string_view faults = "none",
                             std::uint32_t budget = 0) {
  const search::ExhaustiveResult naive = explore(program, search::Reduction::kNone, faults, budget);
  const search::ExhaustiveResult sleep =
      explore(program, search::Reduction::kSleep, faults, budget);
  const search::ExhaustiveResult source =
      explore(program, search::Reduction::kSource, faults, budget);
  for (const search::ExhaustiveResult* const result : {&naive, &sleep, &source}) {
    EXPECT_TRUE(result->exhausted);
    EXPECT_EQ(result->fault_budget, budget);
    EXPECT_FALSE(result->found);
    EXPECT_EQ(result->independence_violated, "");
  }
  EXPECT_EQ(sleep.final_states, naive.final_states);
  EXPECT_EQ(sleep.state_hash, naive.state_hash);
  EXPECT_EQ(source.final_states, naive.final_states);
  EXPECT_EQ(source.state_hash, naive.state_hash);
  EXPECT_EQ(sleep.trace_set_hash, naive.trace_set_hash);
  EXPECT_EQ(source.trace_set_hash, naive.trace_set_hash);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_LE(sleep.traces, naive.traces);
}

// Without that kind of object in the footprints, a reduction misses something, or notices that it
// would.
inline void expect_needed(ObjectKind kind, search::Program& program,
                          std::string_view faults = "none", std::uint32_t budget = 0) {
  const search::ExhaustiveResult naive = explore(program, search::Reduction::kNone, faults, budget);
  bool noticed = false;
  for (const search::Reduction reduction :
       {search::Reduction::kSleep, search::Reduction::kSource}) {
    const search::ExhaustiveResult reduced = explore(program, reduction, faults, budget, {kind});
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

inline Task<void> ephemeral(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*session)->create(Path(path), Data(), CreateMode::kEphemeral));
}

inline Task<void> sleep_and_write(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  static_cast<void>(co_await sleep_for(self.client().executor(), std::chrono::seconds(1)));
  const Data data(self.client().name());
  static_cast<void>(co_await (*session)->set_data("/a", data));
}

}  // namespace lockstep::unit
