#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"
#include "support/manual_executor.h"

// The cost of a FairMutex must not depend on the number of its waiters.
namespace lockstep {
namespace {

using namespace unit;

constexpr std::size_t kSessions = 10;

// Records the requests on the network, and counts the events.
class Traffic final : public fakezk::Tracer {
 public:
  explicit Traffic(Simulation& simulation) : simulation_(simulation) {
    simulation_.world().set_tracer(this);
  }
  ~Traffic() override { simulation_.world().set_tracer(nullptr); }

  [[nodiscard]] const std::vector<OpCode>& requests() const { return requests_; }
  [[nodiscard]] std::size_t events() const { return events_; }

 private:
  void step(const fakezk::Step& step) override {
    if (step.applied && step.applied->is_request) requests_.push_back(step.applied->op);
    if (!step.received) return;
    events_ += step.received->kind == fakezk::ServerMessage::Kind::kWatchEvent ? 1 : 0;
  }
  void note(std::uint32_t, std::string_view) override {}

  Simulation& simulation_;
  std::vector<OpCode> requests_;
  std::size_t events_ = 0;
};

// A holder, and as many waiters as the parameter says.
class LongQueueTest : public SimulatedTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  LongQueueTest() {
    for (std::size_t i = 0; i < kSessions; ++i) {
      sessions_.push_back(simulation_.open("A"));
      mutexes_.emplace_back(*sessions_.back(), "/lock");
    }
    for (std::size_t i = 0; i <= GetParam(); ++i) join();
  }
  void join() {
    const std::size_t number = acquired_.size();
    acquired_.push_back(simulation_.start(mutexes_[number % kSessions].acquire()));
    simulation_.settle();
  }
  void release(std::size_t number) {
    const ReleaseOutcome outcome = simulation_.run(acquired_[number].result()->release());
    EXPECT_EQ(outcome, ReleaseOutcome::kReleased);
    simulation_.settle();
  }
  [[nodiscard]] std::size_t served() const {
    std::size_t count = 0;
    for (const auto& acquired : acquired_) count += acquired.done() ? 1 : 0;
    return count;
  }

  std::vector<std::shared_ptr<FakeSession>> sessions_;
  std::deque<FairMutex> mutexes_;
  std::vector<Started<Result<HeldLock>>> acquired_;
};

TEST_P(LongQueueTest, ReleaseWakesOneWaiterWithOneEventAndOneRequest) {
  for (std::size_t number = 0; number < 5; ++number) {
    const Traffic traffic(simulation_);
    release(number);
    EXPECT_EQ(served(), number + 2);
    EXPECT_TRUE(acquired_[number + 1].done());
    // The first waiter takes over, and has a watch on its own znode from then on.
    EXPECT_EQ(traffic.events(), number == 1 ? 2U : 1U);
    // The holder's delete, and a look by the next contender, unless it takes over.
    std::vector requests{OpCode::kRemove};
    if (number > 0) requests.push_back(OpCode::kGetChildren);
    EXPECT_EQ(traffic.requests(), requests);
  }
}

TEST_P(LongQueueTest, JoiningTakesThreeRequestsAndDisturbsNoWaiter) {
  const Traffic traffic(simulation_);
  join();
  EXPECT_EQ(served(), 1U);
  EXPECT_EQ(traffic.events(), 0U);
  EXPECT_EQ(traffic.requests(),
            (std::vector{OpCode::kCreate, OpCode::kGetChildren, OpCode::kGetData}));
}

INSTANTIATE_TEST_SUITE_P(, LongQueueTest, ::testing::Values(10, 1'000),
                         ::testing::PrintToStringParamName());

// Counts the lists with an owner.
class CountedList final : public Children::Storage {
 public:
  CountedList(std::vector<std::string> texts, int& alive)
      : texts_(std::move(texts)), alive_(alive) {
    for (const std::string& text : texts_) names.push_back(text);
    ++alive_;
  }
  CountedList(const CountedList&) = delete;
  CountedList& operator=(const CountedList&) = delete;
  ~CountedList() override { --alive_; }

 private:
  std::vector<std::string> texts_;
  int& alive_;
};

// A session to a server with one lock, which another client holds forever.
class Refusing final : public Session {
 public:
  Refusing(Executor& executor, Random& random) : Session(executor, random, Path()) {
    change_state(SessionState::kConnected);
  }
  ~Refusing() override { end_background(); }
  [[nodiscard]] SessionId id() const override { return 1; }
  [[nodiscard]] Duration timeout() const override { return 10s; }
  [[nodiscard]] TimePoint last_contact() const override { return executor().now(); }
  [[nodiscard]] int lists() const { return lists_; }
  [[nodiscard]] const std::optional<Path>& watched() const { return watched_; }

 private:
  void submit(Request&& request, internal::Completion& completion) override {
    Reply reply;
    if (request.op == OpCode::kCreate) {
      ours_ = Path(request.path.string() + "0000000001");
      reply.path = ours_;
    } else if (request.op == OpCode::kGetChildren) {
      reply.children = Children(internal::Ref<CountedList>::make(
          std::vector<std::string>{"_c_guid-lock-0000000000", std::string(ours_.name())}, lists_));
    } else if (request.watch) {
      watched_ = request.path;
      watch_ = std::move(request.watch);
    }
    completion.complete(reply);
  }
  void abandon(internal::Completion&) noexcept override {}

  Path ours_;
  int lists_ = 0;
  std::optional<Path> watched_;
  internal::Ref<internal::WatchState> watch_;
};

TEST(LongQueueWaiterTest, WaiterKeepsNoList) {
  ManualExecutor executor;
  fakezk::RandomStream random(1);
  Refusing session(executor, random);
  FairMutex mutex(session, "/lock");
  TaskSet tasks;
  tasks.spawn(ignore(mutex.acquire()));
  while (executor.run_posted() > 0) {
  }
  EXPECT_EQ(session.watched(), Path("/lock/_c_guid-lock-0000000000"));  // It waits,
  EXPECT_EQ(session.lists(), 0);  // and has released the list.
}

}  // namespace
}  // namespace lockstep
