#include "lockstep/lab/fibers.h"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/run.h"
#include "lockstep/fake/client.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/sleep.h"
#include "support/error_of.h"

namespace lockstep::lab {
namespace {

using namespace std::chrono_literals;

// A world of processes that run code on fibers.
class FibersTest : public testing::Test {
 protected:
  FibersTest() { world_.set_blocker(&fibers_); }
  ~FibersTest() override { world_.end_tasks(); }

  fakezk::Process& process() { return world_.add_process(); }
  void spawn(fakezk::Process& process, std::function<void()> body) {
    process.tasks().spawn(fibers_.run(process, std::move(body)));
  }
  void run() {
    world_.drain();
    while (world_.step(calm_)) {
    }
  }

  Fibers fibers_;
  fakezk::World world_;
  fakezk::Calm calm_;
};

void pause(fakezk::Process& process, Duration duration) {
  const auto slept = blocking::run(process, [&]() -> Task<Result<void>> {
    constexpr auto wait = [](Executor& executor, Duration wanted) -> Task<Result<void>> {
      co_return co_await sleep_for(executor, wanted);
    };
    return wait(process, duration);
  });
  EXPECT_TRUE(slept);
}

TEST_F(FibersTest, OthersGoOnWhileOneWaits) {
  fakezk::Process& a = process();
  fakezk::Process& b = process();
  std::string order;
  spawn(a, [&] {
    order += "a1 ";
    pause(a, 2s);
    order += "a2 ";
  });
  spawn(b, [&] {
    order += "b1 ";
    pause(b, 1s);
    order += "b2 ";
  });
  run();
  EXPECT_EQ(order, "a1 b1 b2 a2 ");
  EXPECT_EQ(world_.now().time_since_epoch(), 2s);
  EXPECT_TRUE(a.tasks().empty());
  EXPECT_TRUE(b.tasks().empty());
}

// Chooses the second event, and records its options.
class Second final : public fakezk::Chooser {
 public:
  fakezk::Choice next(const fakezk::Menu& menu) override {
    seen.assign(menu.events().begin(), menu.events().end());
    return {false, 1};
  }
  std::uint32_t number(std::uint32_t) override { return 0; }

  std::vector<fakezk::Event> seen;
};

TEST_F(FibersTest, AThreadMayBePreemptedWhenItsCallIsOver) {
  std::string order;
  for (fakezk::Process* const self : {&process(), &process()}) {
    spawn(*self, [&order, self] {
      pause(*self, 0s);
      order += self->index() == 0 ? "a1 " : "b1 ";
      pause(*self, 0s);
      order += self->index() == 0 ? "a2 " : "b2 ";
    });
  }
  world_.drain();
  Second second;
  ASSERT_TRUE(world_.step(second));
  const std::vector<fakezk::Event> both = {
      {fakezk::Event::Kind::kGoOn, fakezk::FaultKind::kCut, 0},
      {fakezk::Event::Kind::kGoOn, fakezk::FaultKind::kCut, 1}};
  EXPECT_EQ(second.seen, both);
  EXPECT_EQ(order, "b1 ");
  run();
  EXPECT_EQ(order, "b1 a1 b2 a2 ");
}

TEST_F(FibersTest, TimeDoesNotPassWhileAThreadMayGoOn) {
  fakezk::Process& a = process();
  TimePoint went_on = TimePoint::max();
  spawn(a, [&] {
    pause(a, 0s);
    went_on = world_.now();
  });
  world_.drain();
  EXPECT_EQ(went_on, TimePoint::max());
  world_.advance_clock(TimePoint(1h));
  EXPECT_EQ(went_on, TimePoint());
}

TEST_F(FibersTest, ATaskThrowsTheExceptionOfItsBody) {
  fakezk::Process& a = process();
  spawn(a, [&] {
    pause(a, 1s);
    throw std::runtime_error("out of the body");
  });
  run();
  ASSERT_TRUE(world_.task_failed());
  EXPECT_THROW(std::rethrow_exception(world_.take_exception()), std::runtime_error);
}

TEST_F(FibersTest, EachHandlesItsOwnExceptions) {
  fakezk::Process& a = process();
  fakezk::Process& b = process();
  std::vector<std::string> caught;
  const auto body = [&](fakezk::Process& self, const char* name, Duration wait) {
    try {
      throw std::runtime_error(name);
    } catch (const std::runtime_error&) {
      pause(self, wait);  // Meanwhile the other fiber throws, and handles the exception.
      try {
        throw;
      } catch (const std::runtime_error& again) {
        caught.emplace_back(again.what());
      }
    }
  };
  spawn(a, [&] { body(a, "a", 1s); });
  spawn(b, [&] { body(b, "b", 2s); });
  run();
  EXPECT_EQ(caught, (std::vector<std::string>{"a", "b"}));
}

TEST_F(FibersTest, ABodyWhoseTaskIsGoneIsUnwound) {
  fakezk::Process& a = process();
  bool after = false;
  bool unwound = false;
  spawn(a, [&] {
    const std::shared_ptr<void> guard(nullptr, [&](void*) { unwound = true; });
    pause(a, 1s);
    after = true;
  });
  world_.drain();
  a.tasks().clear();
  EXPECT_TRUE(unwound);
  run();
  EXPECT_FALSE(after);
  EXPECT_FALSE(world_.task_failed());
}

TEST_F(FibersTest, AHeldLockIsUnlockedWhenItsTaskGoes) {
  fakezk::Process& a = process();
  fake::FakeClient client(a, "A");
  bool held = false;
  spawn(a, [&] {
    blocking::FairMutex mutex(client, "/lock");
    const std::scoped_lock lock(mutex);
    held = true;
    pause(a, 1h);
  });
  world_.drain();
  while (!held) world_.step(calm_);
  a.tasks().clear();
  run();
  // Lets the servers find the container empty.
  const auto lock = world_.server().paths().find(Path("/lock").text());
  ASSERT_TRUE(lock);
  EXPECT_EQ(world_.server().tree().find(*lock), nullptr);
}

// Releases by calls that return no ReleaseOutcome, as a user's guard may.
class PlainGuard {
 public:
  PlainGuard(fakezk::Process& process, int& given_back)
      : process_(process), given_back_(given_back) {}
  PlainGuard(const PlainGuard&) = delete;
  PlainGuard& operator=(const PlainGuard&) = delete;
  ~PlainGuard() {
    blocking::run(process_, [this] { return give_back(given_back_); });
    const Result<void> result = blocking::run(process_, [this] { return wait(process_); });
    if (!result && result.error() == Error::kCancelled) ++given_back_;
  }

 private:
  static Task<void> give_back(int& given_back) {
    ++given_back;
    co_return;
  }
  static Task<Result<void>> wait(fakezk::Process& process) {
    co_return co_await sleep_for(process, 1h);
  }

  fakezk::Process& process_;
  int& given_back_;
};

TEST_F(FibersTest, CallsOfDestructorsReturnWhileABodyIsUnwound) {
  fakezk::Process& a = process();
  int given_back = 0;
  spawn(a, [&] {
    const PlainGuard guard(a, given_back);
    pause(a, 1h);
  });
  world_.drain();
  a.tasks().clear();
  EXPECT_EQ(given_back, 2);
  EXPECT_FALSE(world_.task_failed());
}

using FibersDeathTest = FibersTest;

// The destructor runs in the ordinary course of things: no exception unwinds yet.
TEST_F(FibersDeathTest, ADestructorThatWaitsWhenItsTaskGoesEndsTheProgramAndSaysWhy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto crash = [this] {
    fakezk::Process& a = process();
    int given_back = 0;
    spawn(a, [&] { const PlainGuard guard(a, given_back); });
    world_.drain();
    a.tasks().clear();
  };
  EXPECT_DEATH(crash(), "has crashed while a destructor");
}

TEST_F(FibersTest, OnlyFibersBlock) {
  fakezk::Process& a = process();
  EXPECT_EQ(support::code_of([&] { pause(a, 1s); }), std::errc::resource_deadlock_would_occur);
}

TEST_F(FibersTest, CallersAreDistinct) {
  fakezk::Process& a = process();
  std::optional<LockOwner> first;
  std::optional<LockOwner> second;
  spawn(a, [&] {
    first = fibers_.caller();
    pause(a, 1s);
    EXPECT_TRUE(first == fibers_.caller());
  });
  spawn(a, [&] { second = fibers_.caller(); });
  run();
  EXPECT_FALSE(*first == *second);
}

TEST(BlockingDeathTest, CodeThatReallyBlocksIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Fibers fibers;
        fakezk::World world;
        world.set_blocker(&fibers);
        fakezk::Process& a = world.add_process();
        std::mutex mutex;
        const auto body = [&] {
          const std::lock_guard lock(mutex);
          pause(a, 1s);
        };
        a.tasks().spawn(fibers.run(a, body));
        a.tasks().spawn(fibers.run(a, body));
      },
      "not returned for 10 s. It blocks in real time");
}

// Checks that the lock is free, then takes it: another contender may take it in between.
class LookThenTake {
 public:
  LookThenTake(Client& client, Path lock, LockObserver*)
      : client_(client), lock_(std::move(lock)) {}
  void lock() {
    if (try_lock()) return;
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  bool try_lock() { return try_lock_until(TimePoint()); }
  template <class Time>
  bool try_lock_until(Time) {
    return blocking::run(client_.executor(), [this] { return take(*this); });
  }
  void unlock() {}

 private:
  static Task<bool> take(LookThenTake& self) {
    const auto session = co_await self.client_.session(Context());
    if (!session) co_return false;
    const auto found = co_await (*session)->exists(self.lock_ / "taken");
    if (found) co_return false;
    const auto taken =
        co_await (*session)->create(self.lock_ / "taken", Data(), CreateMode::kEphemeral);
    if (!taken && taken.error() == Error::kNodeExists) throw std::logic_error("taken meanwhile");
    co_return taken.has_value();
  }
  Client& client_;
  Path lock_;
};

TEST(BlockingHuntTest, FindsARaceInCodeThatBlocks) {
  HuntSettings settings{.size = {2, 1}, .faults = fakezk::FaultPlan()};
  const HuntReport report =
      hunt_lock("look-then-take", &contend_blocking_for<LookThenTake>, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_NE(report.failure->violation.message.find("taken meanwhile"), std::string::npos);
  EXPECT_GE(report.failure->deviations, 1U);
  EXPECT_GT(report.executions, 1U);
}

// Uses every kind of fault, also crashes; some executions run twice and are compared.
TEST(BlockingHuntTest, TheLibrarysMutexHolds) {
  HuntSettings settings{.size = {3, 2}, .executions = 5'000};
  const HuntReport report =
      hunt_lock("fair-mutex", &contend_blocking_for<blocking::FairMutex>, settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::lab
