#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "lockstep/blocking/cohort_mutex.h"
#include "lockstep/blocking/double_barrier.h"
#include "lockstep/blocking/leader_latch.h"
#include "lockstep/blocking/multi_lock.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/recursive_read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/contenders.h"
#include "lockstep/error_code.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/zookeeper/client_thread.h"
#include "lockstep/zookeeper/contender_data.h"
#include "real/zookeeper_server.h"
#include "support/error_of.h"
#include "support/lab.h"

namespace lockstep::zookeeper {
namespace {

using support::code_of;
using support::ZookeeperServer;
using namespace std::chrono_literals;

Options options() {
  return Options(ZookeeperServer::shared().address(), support::Lab::kLongSessionTimeout);
}

// Threads of one process, and of "two processes" (two clients), increment a counter that only the
// lock protects.
TEST(ZookeeperBlockingTest, ThreadsExcludeEachOther) {
  ClientThread ann(options());
  ClientThread bob(options());
  blocking::FairMutex anns(ann.client(), "/blocking/mutex");
  blocking::FairMutex bobs(bob.client(), "/blocking/mutex");
  int inside = 0;
  int rounds = 0;
  bool alone = true;
  const auto work = [&](blocking::FairMutex& mutex) {
    for (int round = 0; round < 5; ++round) {
      const std::lock_guard lock(mutex);
      if (++inside != 1) alone = false;
      ++rounds;
      --inside;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back(work, std::ref(anns));
      threads.emplace_back(work, std::ref(bobs));
    }
  }
  EXPECT_TRUE(alone);
  EXPECT_EQ(rounds, 20);
}

// The same with threads that hand the lock on among themselves: every grant of the lock is newer
// than all before it.
TEST(ZookeeperBlockingTest, ThreadsHandOnACohortsLock) {
  ClientThread ann(options());
  ClientThread bob(options());
  CohortBounds bounds;
  bounds.grants = 3;
  blocking::CohortMutex anns(ann.client(), "/blocking/cohort", bounds);
  blocking::CohortMutex bobs(bob.client(), "/blocking/cohort", bounds);
  CohortToken newest(0, 0);
  int rounds = 0;
  bool in_order = true;
  const auto work = [&](blocking::CohortMutex& mutex) {
    for (int round = 0; round < 10; ++round) {
      const std::lock_guard lock(mutex);
      const CohortToken token = mutex.fencing_token();
      in_order = in_order && token > newest && token.position <= 3;
      newest = token;
      ++rounds;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back(work, std::ref(anns));
      threads.emplace_back(work, std::ref(bobs));
    }
  }
  EXPECT_TRUE(in_order);
  EXPECT_EQ(rounds, 80);
}

TEST(ZookeeperBlockingTest, ThreadsLeadOneAfterTheOther) {
  ClientThread ann(options());
  ClientThread bob(options());
  blocking::LeaderLatch anns(ann.client(), "/blocking/election");
  blocking::LeaderLatch bobs(bob.client(), "/blocking/election");
  anns.start();
  const blocking::Leadership first = anns.wait();
  bobs.start();
  EXPECT_FALSE(bobs.wait_for(50ms));
  auto next = std::async(std::launch::async, [&] { return bobs.wait(); });
  anns.close();
  EXPECT_TRUE(first.over.stop_requested());
  EXPECT_GT(next.get().fencing_token, first.fencing_token);
}

TEST(ZookeeperBlockingTest, BarriersAndMultiLocksWorkWithThreads) {
  ClientThread ann(options());
  blocking::DoubleBarrier barrier(ann.client(), "/blocking/barrier", 2);
  blocking::MultiLock both(ann.client(), std::vector<Path>{"/blocking/b", "/blocking/a"});
  blocking::RecursiveReadWriteLock again(ann.client(), "/blocking/again");
  const auto work = [&] {
    barrier.enter();
    {
      const std::lock_guard all(both);
      const std::lock_guard writing(again);
      const std::shared_lock reading(again);
    }
    barrier.leave();
  };
  auto one = std::async(std::launch::async, work);
  auto other = std::async(std::launch::async, work);
  EXPECT_NO_THROW(one.get());
  EXPECT_NO_THROW(other.get());
}

TEST(ZookeeperBlockingTest, OnlyTheThreadThatHoldsUnlocks) {
  ClientThread zookeeper(options());
  blocking::FairMutex mutex(zookeeper.client(), "/blocking/owner");
  mutex.lock();
  const auto elsewhere = [](auto call) { return std::async(std::launch::async, call).get(); };
  EXPECT_EQ(code_of([&] { mutex.lock(); }), std::errc::resource_deadlock_would_occur);
  EXPECT_EQ(elsewhere([&] { return code_of([&] { mutex.unlock(); }); }),
            std::errc::operation_not_permitted);
  EXPECT_FALSE(elsewhere([&] { return mutex.try_lock(); }));
  EXPECT_FALSE(elsewhere([&] { return mutex.try_lock_for(1s); }));
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kReleased);
}

TEST(ZookeeperBlockingTest, AWaitCanBeStoppedFromElsewhere) {
  ClientThread ann(options());
  ClientThread bob(options());
  blocking::FairMutex anns(ann.client(), "/blocking/stop");
  blocking::FairMutex bobs(bob.client(), "/blocking/stop");
  const std::lock_guard lock(anns);
  std::stop_source stop;
  auto waits =
      std::async(std::launch::async, [&] { return code_of([&] { bobs.lock(stop.get_token()); }); });
  EXPECT_EQ(waits.wait_for(100ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_EQ(waits.get(), std::errc::operation_canceled);
}

TEST(ZookeeperBlockingTest, ReadersShareAndSemaphoresCount) {
  ClientThread ann(options());
  ClientThread bob(options());
  blocking::ReadWriteLock anns(ann.client(), "/blocking/rw");
  blocking::ReadWriteLock bobs(bob.client(), "/blocking/rw");
  const std::shared_lock ann_reads(anns);
  EXPECT_TRUE(std::shared_lock(bobs, 10s).owns_lock());
  EXPECT_FALSE(std::unique_lock(bobs, 2s).owns_lock());
  blocking::Semaphore semaphore(ann.client(), "/blocking/semaphore", 1);
  semaphore.acquire();
  EXPECT_FALSE(semaphore.try_acquire());
  semaphore.release();
}

TEST(ZookeeperBlockingTest, TheLoopsOwnThreadMustNotBlock) {
  ClientThread zookeeper(options());
  Executor& executor = zookeeper.client().executor();
  blocking::FairMutex mutex(zookeeper.client(), "/blocking/loop");
  const auto lock_there = [](blocking::FairMutex& lock) -> Task<void> {
    lock.lock();
    co_return;
  };
  EXPECT_EQ(code_of([&] { blocking::run(executor, [&] { return lock_there(mutex); }); }),
            std::errc::resource_deadlock_would_occur);
}

TEST(ZookeeperBlockingTest, ALoopThatDoesNotRunIsAnErrorInsteadOfAWait) {
  Runtime runtime;
  Client client(runtime, options());
  blocking::FairMutex mutex(client, "/blocking/idle");
  EXPECT_EQ(code_of([&] { mutex.lock(); }), std::errc::resource_deadlock_would_occur);
  EXPECT_EQ(std::async(std::launch::async, [&] { return code_of([&] { mutex.lock(); }); }).get(),
            std::errc::resource_deadlock_would_occur);
}

Task<void> begin_and_wait(Executor& executor, std::stop_source begun) {
  begun.request_stop();
  static_cast<void>(co_await sleep_for(executor, 1h));
}

// Never returns; blocks as soon as the loop runs.
void block_on(Runtime& runtime, const std::stop_source& begun) {
  for (;;) {
    try {
      blocking::run(runtime, [&] { return begin_and_wait(runtime, begun); });
    } catch (const std::system_error&) {
      // The loop does not run yet.
    }
  }
}

Task<void> wait_for(Executor& executor, std::stop_token stop) {
  static_cast<void>(co_await sleep_for(executor, 1h, std::move(stop)));
}

TEST(ZookeeperBlockingDeathTest, ARuntimeOutlivesThreadsBlockedOnIt) {
  EXPECT_DEATH(
      {
        Runtime runtime;
        const std::stop_source begun;
        std::thread([&] { block_on(runtime, begun); }).detach();
        runtime.run(wait_for(runtime, begun.get_token()));
      },
      "destroyed while a call is blocked");
}

Task<void> open_session(lockstep::Client& client, lockstep::Session*& session) {
  const auto opened = co_await client.session(Context());
  if (opened) session = opened->get();
}
Task<void> wait_for_connection(lockstep::Session& session) {
  static_cast<void>(co_await session.connected());
}
Task<void> ask_whether_there(lockstep::Session& session) {
  static_cast<void>(co_await session.exists("/"));
}

TEST(ZookeeperBlockingDeathTest, AwaitingOnAThreadOtherThanTheLoopsIsMisuse) {
  ClientThread zookeeper(options());
  lockstep::Client& client = zookeeper.client();
  lockstep::Session* session = nullptr;
  blocking::run(client.executor(), [&] { return open_session(client, session); });
  ASSERT_NE(session, nullptr);
  const auto begin_here = [](Task<void> task) {
    TaskSet here;
    here.spawn(std::move(task));
  };
  const char* const rule = "misuse: a wait, a request or a timer is begun on another thread";
  EXPECT_DEATH(begin_here(open_session(client, session)), rule);
  EXPECT_DEATH(begin_here(wait_for_connection(*session)), rule);
  EXPECT_DEATH(begin_here(ask_whether_there(*session)), rule);
  EXPECT_DEATH(begin_here(wait_for(client.executor(), {})), rule);
}

TEST(ZookeeperBlockingTest, ADeadlineWithoutAConnectionIsAnErrorThatSaysSo) {
  ClientThread nowhere(Options("127.0.0.1:1", support::Lab::kLongSessionTimeout));
  blocking::FairMutex mutex(nowhere.client(), "/blocking/nowhere");
  const TimePoint before = nowhere.client().executor().now();
  EXPECT_EQ(code_of([&] { static_cast<void>(mutex.try_lock_for(100ms)); }), Error::kNotConnected);
  EXPECT_GE(nowhere.client().executor().now(), before + 100ms);
}

TEST(ZookeeperBlockingTest, TheQueueShowsTheHolder) {
  ClientThread zookeeper(options());
  blocking::FairMutex mutex(zookeeper.client(), "/blocking/queue",
                            LockOptions(contender_data("nightly job")));
  const std::lock_guard lock(mutex);
  const auto look = [](lockstep::Client& client) -> Task<Result<std::vector<QueueEntry>>> {
    const auto session = co_await ok(client.session(Context()));
    co_return co_await contenders_of(*session, "/blocking/queue", kMutexMarks, Context());
  };
  const auto queue =
      blocking::run(zookeeper.client().executor(), [&] { return look(zookeeper.client()); });
  ASSERT_TRUE(queue.has_value());
  ASSERT_EQ(queue->size(), 1U);
  EXPECT_TRUE(queue->front().holds);
  const std::string_view said = queue->front().data.view();
  EXPECT_TRUE(said.starts_with("host=")) << said;
  const ContenderDescription described(said);
  EXPECT_EQ(described.pid, std::to_string(getpid()));
  EXPECT_TRUE(described.since.ends_with("Z")) << said;
  EXPECT_EQ(described.text, "nightly job");
}

Task<Result<void>> remove_znode(lockstep::Client& client, Path znode) {
  const auto session = co_await ok(client.session(Context()));
  co_return co_await session->remove(znode);
}

TEST(ZookeeperBlockingTest, AForeignDeletionIsReportedToTheHolder) {
  ClientThread ann(options());
  ClientThread bob(options());
  blocking::FairMutex mutex(ann.client(), "/blocking/lost");
  mutex.lock();
  const std::stop_token lost = mutex.lost_token();
  std::promise<void> told;
  const std::stop_callback tell(lost, [&] { told.set_value(); });
  const Path znode = mutex.check().path;
  const Result<void> removed =
      blocking::run(bob.client().executor(), [&] { return remove_znode(bob.client(), znode); });
  ASSERT_TRUE(removed.has_value());
  told.get_future().get();
  EXPECT_EQ(mutex.cause(), Error::kNoNode);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kAlreadyLost);
}

}  // namespace
}  // namespace lockstep::zookeeper
