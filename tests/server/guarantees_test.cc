// ZooKeeper's guarantees under random work, schedules and faults.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/fake/client.h"
#include "lockstep/search/program.h"
#include "lockstep/search/strategy.h"
#include "lockstep/transaction.h"
#include "support/by_hand.h"
#include "support/guarantee_checker.h"

namespace lockstep::fakezk {
namespace {

constexpr std::uint32_t kClients = 3;
constexpr std::uint32_t kBatches = 6;
constexpr std::array<const char*, 6> kPaths = {"/a", "/a/x", "/a/y", "/b", "/b/x", "/a/x/deep"};

// The outcomes of one client's requests, in the order of sending.
struct Worker {
  Worker(Process& process, std::string name, std::uint64_t seed)
      : client(process, std::move(name)), random(seed) {}

  fake::FakeClient client;
  RandomStream random;
  std::uint32_t sent = 0;
  std::uint32_t completed = 0;
  std::vector<Watch> watches;
  std::vector<std::string> complaints;
};

// Requests of one session complete once each, in the order of sending.
void complete(Worker& worker, std::uint32_t number) {
  if (worker.completed != number) {
    worker.complaints.push_back("request " + std::to_string(number) + " completed after " +
                                std::to_string(worker.completed));
  }
  worker.completed = number + 1;
}

Path any_path(Worker& worker) { return Path(kPaths[worker.random.below(kPaths.size())]); }

Task<void> write_something(Worker& worker, std::shared_ptr<Session> session) {
  const std::uint32_t number = worker.sent++;
  const Path path = any_path(worker);
  switch (worker.random.below(6)) {
    case 0: static_cast<void>(co_await session->create(path, "p", CreateMode::kPersistent)); break;
    case 1: static_cast<void>(co_await session->create(path, "e", CreateMode::kEphemeral)); break;
    case 2:
      static_cast<void>(co_await session->create(path, "s", CreateMode::kEphemeralSequential));
      break;
    case 3: static_cast<void>(co_await session->remove(path)); break;
    case 4: static_cast<void>(co_await session->set_data(path, "d")); break;
    default:
      static_cast<void>(co_await session->multi(
          Transaction().create(path, "m", CreateMode::kPersistent).set_data("/a", "m")));
  }
  complete(worker, number);
}

// Every second read sets a watch.
Task<void> read_something(Worker& worker, std::shared_ptr<Session> session) {
  const std::uint32_t number = worker.sent++;
  const Path path = any_path(worker);
  switch (worker.random.below(6)) {
    case 0: static_cast<void>(co_await session->exists(path)); break;
    case 1: static_cast<void>(co_await session->get_data(path)); break;
    case 2: static_cast<void>(co_await session->get_children(path)); break;
    case 3: {
      auto read = co_await session->exists_watched(path);
      if (read) worker.watches.push_back(std::move(read->watch));
      break;
    }
    case 4: {
      auto read = co_await session->get_data_watched(path);
      if (read) worker.watches.push_back(std::move(read->watch));
      break;
    }
    default: {
      auto read = co_await session->get_children_watched(path);
      if (read) worker.watches.push_back(std::move(read->watch));
    }
  }
  complete(worker, number);
}

Task<void> synchronize(Worker& worker, std::shared_ptr<Session> session) {
  const std::uint32_t number = worker.sent++;
  static_cast<void>(co_await session->sync("/"));
  complete(worker, number);
}

Task<void> any_request(Worker& worker, std::shared_ptr<Session> session) {
  const std::uint32_t kind = worker.random.below(10);
  if (kind < 5) return write_something(worker, std::move(session));
  if (kind < 9) return read_something(worker, std::move(session));
  return synchronize(worker, std::move(session));
}

// Sends up to three requests together, and waits for the last one.
Task<void> work(Worker& worker) {
  for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
    const Result<std::shared_ptr<Session>> session = co_await worker.client.session(Context());
    if (!session) continue;
    worker.sent = worker.completed = 0;
    const std::uint32_t others = worker.random.below(3);
    for (std::uint32_t i = 0; i < others; ++i) {
      worker.client.process().tasks().spawn(any_request(worker, *session));
    }
    co_await any_request(worker, *session);
  }
}

class RandomWork final : public search::Program {
 public:
  RandomWork(std::uint64_t seed, const ServerOptions& servers) : seed_(seed), servers_(servers) {}

  [[nodiscard]] ServerOptions servers() const override { return servers_; }

  void start(World& world, search::Verdict& verdict) override {
    verdict_ = &verdict;
    world.set_faults(FaultPlan());
    for (std::uint32_t i = 0; i < kClients; ++i) {
      workers_.emplace_back(world.add_process(), process_name(i), mix(seed_ + i));
      workers_.back().client.current();
    }
    Calm calm;
    while (world.step(calm)) {
    }
    world.begin_trace();
    for (Worker& worker : workers_) worker.client.process().tasks().spawn(work(worker));
    world.drain();
  }
  void finish(World& world) override {
    for (const Worker& worker : workers_) {
      for (const std::string& complaint : worker.complaints) {
        verdict_->report("user:fifo", complaint, world.steps());
      }
      if (!worker.client.process().tasks().empty()) {
        verdict_->report("user:answered", "a request was never answered", world.steps());
      }
    }
  }
  void clear() override { workers_.clear(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return std::string(1, static_cast<char>('A' + process));
  }

 private:
  std::uint64_t seed_;
  ServerOptions servers_;
  search::Verdict* verdict_ = nullptr;
  std::deque<Worker> workers_;
};

struct Totals {
  std::uint64_t reads = 0;
  std::uint64_t events = 0;
  std::uint64_t faults = 0;
};

// Runs random programs, each under a few schedules; returns the first complaint, if any.
std::string first_complaint(const ServerOptions& servers, std::uint32_t programs, Totals& totals) {
  World world(servers);
  const std::array<std::unique_ptr<search::Strategy>, 3> strategies = {
      search::make_random_walk(), search::make_pos(), search::make_delay()};
  search::ExecutionLimits limits{.faults = FaultPlan::all(4)};
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    RandomWork program(seed, servers);
    Calm calm;
    const std::uint32_t positions = execute(world, program, calm, limits).positions;
    for (const std::unique_ptr<search::Strategy>& strategy : strategies) {
      support::GuaranteeChecker checker(world);
      strategy->begin(search::ExecutionStart{mix(seed), positions, {}, limits.faults.total()});
      const search::Outcome outcome = execute(world, program, *strategy, limits, &checker);
      totals.reads += checker.reads_checked();
      totals.events += checker.events_checked();
      totals.faults += world.faults_injected();
      const std::string where = "program " + std::to_string(seed) + ": ";
      if (checker.broken()) return where + *checker.broken();
      if (outcome.violation) return where + outcome.violation->message;
    }
  }
  return "";
}

TEST(GuaranteesTest, OneServerKeepsThem) {
  Totals totals;
  EXPECT_EQ(first_complaint(ServerOptions(), 2000, totals), "");
  EXPECT_GT(totals.reads, 50'000U);
  EXPECT_GT(totals.events, 3'000U);
  EXPECT_GT(totals.faults, 5'000U);
}

TEST(GuaranteesTest, ThreeReplicasKeepThem) {
  ServerOptions servers{.replicas = 3};
  Totals totals;
  EXPECT_EQ(first_complaint(servers, 2000, totals), "");
  EXPECT_GT(totals.reads, 50'000U);
  EXPECT_GT(totals.events, 3'000U);
  EXPECT_GT(totals.faults, 5'000U);
}

// Found by libFuzzer: the checker expected each create to raise the parent's pzxid.
TEST(GuaranteesTest, AtTheEndOfTheSequenceThePzxidStays) {
  fake::Simulation simulation;
  World& world = simulation.world();
  support::GuaranteeChecker checker(world);
  world.set_tracer(&checker);
  const std::shared_ptr<fake::FakeSession> session = simulation.open("A");
  const auto create = [&](const Path& path, CreateMode mode) {
    unit::must(simulation.run(unit::create(*session, path, Data(), mode)), "create");
  };
  create("/a", CreateMode::kPersistent);
  create("/a/n", CreateMode::kPersistentSequential);
  simulation.wind_sequence("/a", Server::kLastNumber);
  const Stat before = unit::must(simulation.run(unit::exists(*session, "/a")), "exists");
  create("/a/n", CreateMode::kPersistentSequential);
  const Stat after = unit::must(simulation.run(unit::exists(*session, "/a")), "exists");
  EXPECT_EQ(after.pzxid, before.pzxid);
  EXPECT_EQ(after.num_children, before.num_children + 1);
  EXPECT_FALSE(checker.broken()) << *checker.broken();
  world.set_tracer(nullptr);
}

}  // namespace
}  // namespace lockstep::fakezk
