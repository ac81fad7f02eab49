#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allocations/own_heap.h"
#include "lockstep/blocking/run.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/sleep.h"
#include "session.h"
#include "support/lab.h"
#include "zookeeper/connection_lab.h"

// A process whose memory is used up for a moment goes on with its session.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;
using support::must;

using Made = std::unique_ptr<internal::OperationBase>;
// Makes the request with that number.
using Make = std::function<Made(lockstep::Session&, int)>;

// One of every kind that takes memory of its own.
std::vector<Make> requests() {
  return {
      [](lockstep::Session& session, int) { return Made(new auto(session.exists("/"))); },
      [](lockstep::Session& session, int number) {
        return Made(new auto(session.exists_watched(Path("/" + std::to_string(number)))));
      },
      [](lockstep::Session& session, int) {
        return Made(new auto(session.set_acl("/none", Acl::open())));
      },
      [](lockstep::Session& session, int) {
        return Made(new auto(session.multi(Transaction().check("/").check("/"))));
      },
      [](lockstep::Session& session, int) {
        return Made(new auto(session.add_auth("digest", "user:password")));
      },
  };
}

// Makes a request until it succeeds, with a failure of each of its allocations before that.
Made make_with_failures(lockstep::Session& session, const Make& make, int number) {
  Made made;
  for (std::size_t allocation = 0; !made; ++allocation) {
    internal::frame_pool.drain();  // A block of an earlier request would do for this one.
    heap::left_to_succeed = allocation;
    try {
      made = make(session, number);
    } catch (const std::bad_alloc&) {
      // The next attempt gets one allocation further.
    }
    heap::left_to_succeed = heap::kAllSucceed;
  }
  return made;
}

// Enough requests that the queues of the session need more memory at some of them.
void make_many_with_failures(lockstep::Session& session) {
  constexpr int kRounds = 20;
  const std::vector<Make> kinds = requests();
  std::vector<Made> made;
  made.reserve(kRounds * kinds.size());
  const std::size_t before = heap::failures;
  for (int round = 0; round < kRounds; ++round) {
    for (const Make& make : kinds) made.push_back(make_with_failures(session, make, round));
  }
  EXPECT_GT(heap::failures - before, made.size());
}

Task<void> fail_while_connected(Runtime& runtime, Session& session) {
  must(co_await session.connected(), "connect");
  make_many_with_failures(session);
  const std::function<bool()> idle = [&session] { return session.is_idle(); };
  co_await until(runtime, idle);
  must(co_await session.add_auth("digest", "user:password"), "add_auth");
  EXPECT_TRUE((co_await session.multi(Transaction().check("/"))).has_value());
}

TEST(FailingAllocationTest, ARequestThatFindsNoMemoryKeepsNoOtherWaiting) {
  Runtime runtime;
  Session session(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  runtime.run(fail_while_connected(runtime, session));
}

Task<void> fail_without_connection(Session& session) {
  make_many_with_failures(session);
  EXPECT_TRUE(session.is_idle());
  co_return;
}

TEST(FailingAllocationTest, ARequestThatFindsNoMemoryDoesNotWaitForAConnection) {
  Runtime runtime;
  Session session(runtime, Options(refused_address(), kSessionTimeout));
  runtime.run(fail_without_connection(session));
}

Task<void> do_nothing() { co_return; }

TEST(FailingAllocationTest, ALoopThatFindsNoMemoryCanRunAgain) {
  Runtime runtime;
  Task<void> task = do_nothing();
  internal::frame_pool.drain();
  heap::everywhere = true;
  heap::left_to_succeed = 0;
  EXPECT_THROW(runtime.run(std::move(task)), std::bad_alloc);
  heap::left_to_succeed = heap::kAllSucceed;
  heap::everywhere = false;
  runtime.run(do_nothing());
}

// Lets the next allocation on its executor's thread fail.
class NextFails final : public Runnable {
 public:
  void run() override {
    internal::frame_pool.drain();
    heap::everywhere = true;
    heap::left_to_succeed = 0;
  }
};

Task<void> run_until(Runtime& runtime, std::promise<void>& runs, std::stop_token stop) {
  runs.set_value();
  static_cast<void>(co_await sleep_until(runtime, TimePoint::max(), std::move(stop)));
}

TEST(FailingAllocationTest, ABlockedCallerHearsThatItsCallFoundNoMemory) {
  Runtime runtime;
  std::promise<void> runs;
  const std::jthread loop(
      [&](std::stop_token stop) { runtime.run(run_until(runtime, runs, std::move(stop))); });
  runs.get_future().wait();
  NextFails fails;
  runtime.post(fails);
  EXPECT_THROW(blocking::run(runtime, [] { return do_nothing(); }), std::bad_alloc);
  blocking::run(runtime, [] { return do_nothing(); });
}

}  // namespace
}  // namespace lockstep::zookeeper
