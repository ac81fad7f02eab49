#include "lockstep/threads/hunt_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "contenders.h"
#include "lockstep/lab/gtest.h"
#include "lockstep/lab/replay.h"
#include "lockstep/threads/inside.h"

// Hunts threaded code unchanged, with ZooKeeper's own C client.

namespace lockstep::threads {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

ThreadsUnderTest three_contenders(Wait wait) {
  const auto body = [wait] {
    std::thread a(&contend, wait);
    std::thread b(&contend, wait);
    std::thread c(&contend, wait);
    a.join();
    b.join();
    c.join();
  };
  return {.name = "contenders", .body = body, .znodes = {"/lock"}, .lock_path = "/lock"};
}

lab::HuntSettings executions(std::uint64_t count, const char* faults = "none") {
  lab::HuntSettings settings;
  settings.executions = count;
  settings.faults = lab::faults_called(faults, 2);
  return settings;
}

TEST(HuntThreadsTest, ACorrectLockHoldsWithoutFaults) {
  const lab::HuntReport report = hunt_threads(three_contenders(Wait::kByData), executions(300));
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.steps, 300 * 500u);
}

// The model race: the znode in front is deleted before the watch is set.
TEST(HuntThreadsTest, AForgottenCheckIsFoundAndReplayed) {
  const lab::LockUnderTest lock = under_test(three_contenders(Wait::kByExistence));
  lab::HuntSettings settings = executions(2'000);
  settings.size = {1, 1};
  const lab::HuntReport report = hunt_lock(lock, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "deadlock");
  EXPECT_THAT(report.failure->violation.message,
              ContainsRegex("T[0-9] waits in pthread_cond_wait(\n|$)"));
  EXPECT_LE(report.failure->deviations, 6u);
  const lab::ReplayReport replayed = lab::replay_lock(report.failure->replay, lock);
  ASSERT_TRUE(replayed.violation.has_value()) << replayed.text();
  EXPECT_EQ(replayed.violation->oracle, "deadlock");
}

TEST(HuntThreadsTest, ItsRegressionTestMakesTheSameAgain) {
  const auto body = [] {};
  EXPECT_EQ(under_test({.name = "plain", .body = body}).source,
            "lockstep::threads::under_test({.name = \"plain\",\n"
            "                                     .body = body})");
  const ThreadsUnderTest all = {.name = "all",
                                .body = body,
                                .at_start = body,
                                .znodes = {"/a", "/b"},
                                .lock_path = "/a",
                                .replicas = 3,
                                .is_coarse = true};
  EXPECT_EQ(under_test(all).source,
            "lockstep::threads::under_test({.name = \"all\",\n"
            "                                     .body = body,\n"
            "                                     .at_start = at_start,\n"
            "                                     .znodes = {\"/a\", \"/b\"},\n"
            "                                     .lock_path = \"/a\",\n"
            "                                     .replicas = 3,\n"
            "                                     .is_coarse = true})");
}

TEST(HuntThreadsTest, ItsRegressionTestQuotesPaths) {
  const std::string source =
      under_test({.name = "quotes", .body = [] {}, .znodes = {"/a \"b\"", "/c\\d"}}).source;
  EXPECT_THAT(source, HasSubstr(R"(.znodes = {"/a \"b\"", "/c\\d"})"));
}

TEST(HuntThreadsTest, TheSameSeedGivesTheSameHash) {
  const lab::HuntSettings settings = executions(100, "all");
  const lab::HuntReport first = hunt_threads(three_contenders(Wait::kByData), settings);
  const lab::HuntReport second = hunt_threads(three_contenders(Wait::kByData), settings);
  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.steps, second.steps);
}

TEST(HuntThreadsTest, ACoarseHuntTakesFewerSteps) {
  ThreadsUnderTest coarse = three_contenders(Wait::kByData);
  coarse.is_coarse = true;
  const lab::HuntReport some = hunt_threads(coarse, executions(100));
  const lab::HuntReport all = hunt_threads(three_contenders(Wait::kByData), executions(100));
  EXPECT_LT(some.steps, all.steps * 3 / 4);
}

TEST(HuntThreadsTest, LocksInOppositeOrdersAreADeadlock) {
  const auto body = [] {
    std::mutex a;
    std::mutex b;
    std::thread other([&] {
      const std::lock_guard one(b);
      const std::lock_guard two(a);
    });
    {
      const std::lock_guard one(a);
      const std::lock_guard two(b);
    }
    other.join();
  };
  const lab::HuntReport report = hunt_threads("opposite-orders", body, executions(1'000));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "deadlock");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("main waits in pthread_mutex_lock"));
  EXPECT_THAT(report.failure->violation.message, HasSubstr("T1 waits in pthread_mutex_lock"));
}

void abort_in_a_thread() {
  std::thread other([] { std::abort(); });
  other.join();
}

// The hunted process ends; its last words name the schedule.
TEST(HuntThreadsDeathTest, AnAbortInAThreadHasLastWords) {
  EXPECT_DEATH(static_cast<void>(hunt_threads("aborting", &abort_in_a_thread, executions(10))),
               "the program under test has aborted in step [0-9]+");
}

// Only the process of that execution ends.
TEST(HuntThreadsTest, AnAbortInAProcessOfItsOwnIsAFailure) {
  const lab::HuntReport report = hunt_threads(
      ThreadsUnderTest{.name = "aborting", .body = &abort_in_a_thread, .in_forks = true},
      executions(10));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("aborted"));
}

TEST(HuntThreadsTest, AProcessOfItsOwnHasItsOwnGlobals) {
  static int executions_seen = 0;
  const auto body = [] {
    if (executions_seen++ > 0) violated("memory", "an earlier execution is seen");
  };
  ThreadsUnderTest threads{.name = "globals", .body = body};
  EXPECT_FALSE(hunt_threads(threads, executions(10)).passed());
  executions_seen = 0;
  threads.in_forks = true;
  EXPECT_TRUE(hunt_threads(threads, executions(10)).passed());
}

TEST(HuntThreadsTest, TwoThreadsInsideAResourceAreFound) {
  const auto body = [] {
    const auto work = [] {
      const Inside inside("stock");
      std::this_thread::yield();
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  };
  const lab::HuntReport report = hunt_threads("no-lock", body, executions(100));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

// A session that its client has closed excuses nobody.
TEST(HuntThreadsTest, TwoThreadsInsideAreFoundAfterTheyHaveClosedTheirHandles) {
  const auto body = [] {
    const auto work = [] {
      News news;
      zookeeper_close(open_handle(news));
      const Inside inside("stock");
      std::this_thread::yield();
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  };
  const lab::HuntReport report = hunt_threads("no-lock", body, executions(300));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_GT(report.judged.of(search::Oracle::kS2), 0u);
}

// Nor does one whose client has been told of its end some time ago.
TEST(HuntThreadsTest, TwoThreadsInsideAreFoundAfterTheyHaveLearntOfTheEnd) {
  const auto body = [] {
    const auto work = [] {
      News news;
      zhandle_t* const handle = open_handle(news);
      for (int i = 0; i < 60 && !news.is_over(); ++i) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
      for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(std::chrono::seconds(1));
      if (news.is_over()) {
        const Inside inside("stock");
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
      zookeeper_close(handle);
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  };
  const lab::HuntReport report = hunt_threads("deaf", body, executions(3'000, "expiry"));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

// Holds a lock that is one znode for a while, unless it learns that its session is over.
void hold_and_look(zhandle_t* handle, News& news) {
  for (int i = 0; i < 20 && !news.is_over(); ++i) {
    const int error =
        zoo_create(handle, "/lock", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
    if (error == ZOK) {
      const Inside inside("stock");
      for (int k = 0; k < 20 && !news.is_over(); ++k) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
      return;
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

// The threads that use a handle need not be the one that has opened it.
TEST(HuntThreadsTest, AHolderThatCannotKnowOfTheEndIsExcusedWhoeverHasOpenedItsHandle) {
  const auto body = [] {
    News news_of_a;
    News news_of_b;
    zhandle_t* const of_a = open_handle(news_of_a);
    zhandle_t* const of_b = open_handle(news_of_b);
    std::thread a([&] { hold_and_look(of_a, news_of_a); });
    std::thread b([&] { hold_and_look(of_b, news_of_b); });
    a.join();
    b.join();
    zookeeper_close(of_a);
    zookeeper_close(of_b);
  };
  for (const char* const fault : {"expiry", "cut,expiry,timer"}) {
    const lab::HuntReport report = hunt_threads("handed-on", body, executions(2'000, fault));
    EXPECT_TRUE(report.passed()) << report.text();
  }
}

// Three threads share this knowledge of each other.
struct Insiders {
  std::mutex mutex;
  std::condition_variable changed;
  bool one_holds = false;
  std::atomic<bool> ghost_holds = false;
  std::atomic<bool> ghost_has_left = false;  // And has learnt that it was one.
  std::atomic<bool> third_has_left = false;
};

// Looks for `condition` once a second, for a minute.
template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 60 && !condition(); ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return condition();
}

int take_the_znode(zhandle_t* handle) {
  return zoo_create(handle, "/lock", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
}

// Goes in once another one holds: then its own session is over, and it has not been told.
void haunt(Insiders& all) {
  News news;
  zhandle_t* const handle = open_handle(news);
  all.ghost_holds = take_the_znode(handle) == ZOK;
  bool was_inside = false;
  {
    std::unique_lock lock(all.mutex);
    all.changed.wait_for(lock, std::chrono::minutes(1), [&] { return all.one_holds; });
    was_inside = all.one_holds && !news.is_over();
  }
  if (was_inside) {
    const Inside inside("stock");
  }
  comes_true([&] { return news.is_over(); });
  zookeeper_close(handle);
  for (int i = 0; i < 12; ++i) std::this_thread::sleep_for(std::chrono::seconds(1));
  all.ghost_has_left = was_inside;
}

void hold_until_the_third_has_left(Insiders& all) {
  News news;
  zhandle_t* const handle = open_handle(news);
  while (take_the_znode(handle) != ZOK && !news.is_over()) {
    const std::uint32_t seen = news.count();
    ::Stat stat{};
    if (zoo_wexists(handle, "/lock", &News::tell, &news, &stat) == ZOK) news.wait_beyond(seen);
  }
  if (!news.is_over()) {
    const Inside inside("stock");
    {
      const std::lock_guard lock(all.mutex);
      all.one_holds = true;
    }
    all.changed.notify_all();
    comes_true([&] { return all.third_has_left.load(); });
  }
  zookeeper_close(handle);
}

// One that is excused comes and goes, but the holder stays.
TEST(HuntThreadsTest, AThirdThreadInsideIsFoundAfterAnExcusedOneHasLeft) {
  const auto body = [] {
    Insiders all;
    std::thread ghost([&] { haunt(all); });
    comes_true([&] { return all.ghost_holds.load(); });
    std::thread holder([&] { hold_until_the_third_has_left(all); });
    if (comes_true([&] { return all.ghost_has_left.load(); })) {
      const Inside inside("stock");
    }
    all.third_has_left = true;
    ghost.join();
    holder.join();
  };
  const lab::HuntReport report = hunt_threads("haunted", body, executions(2'000, "expiry"));
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("main enters stock, where T"));
}

// Returns 2, or 1 if an update is lost.
int count_with_two_threads() {
  int counter = 0;
  const auto add = [&] {
    const int before = counter;
    std::this_thread::yield();
    counter = before + 1;
  };
  std::thread a(add);
  std::thread b(add);
  a.join();
  b.join();
  return counter;
}

TEST(HuntThreadsTest, UsersReportTheirOwnInvariants) {
  const auto body = [] {
    const int counter = count_with_two_threads();
    if (counter != 2) violated("lost-update", "the counter is " + std::to_string(counter));
  };
  const lab::HuntReport report = hunt_threads("counter", body, executions(100));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "user:lost-update");
}

TEST(HuntThreadsTest, AThreadThatSleepsForEverIsNoHang) {
  const auto body = [] { std::this_thread::sleep_for(std::chrono::hours(24)); };
  EXPECT_TRUE(hunt_threads("sleeper", body, executions(3)).passed());
}

TEST(HuntThreadsTest, AHandleThatIsLeftOpenIsMisuse) {
  const auto body = [] {
    News* const news = new News;  // Never freed, because the remaining threads use it.
    zookeeper_init("a.example:2181", &News::tell, 10'000, nullptr, news, 0);
    news->wait_for_connection();
  };
  const lab::HuntReport report = hunt_threads("open-handle", body, executions(1));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "misuse");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("threads still run"));
}

TEST(HuntThreadsTest, CallsThatCannotBeInterceptedAreMisuse) {
  const auto body = [] { static_cast<void>(::fork()); };
  const lab::HuntReport report = hunt_threads("forks", body, executions(1));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "misuse");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("main calls fork"));
}

TEST(HuntThreadsTest, LeftoversAreFound) {
  const auto body = [] {
    News news;
    zhandle_t* const handle =
        zookeeper_init("a.example:2181", &News::tell, 10'000, nullptr, &news, 0);
    news.wait_for_connection();
    zoo_create(handle, "/lock/left", "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
    zookeeper_close(handle);
  };
  const ThreadsUnderTest threads{
      .name = "leaves", .body = body, .znodes = {"/lock"}, .lock_path = "/lock"};
  const lab::HuntReport report = hunt_threads(threads, executions(1));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S5");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("/lock/left"));
}

// Found by such a hunt: zoo_exists checks that the session is alive, then queues its request. If
// the I/O thread learns of the end in between, it has cleared the queues and is gone, and the call
// never completes (zookeeper.c 3.8.0, zoo_awexists and do_io). lockstep::zookeeper makes no
// synchronous calls.
class SynchronousCallTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SynchronousCallTest, HangsWhenItsSessionEnds) {
  const auto body = [] {
    const auto look = [] {
      News news;
      zhandle_t* const handle =
          zookeeper_init("a.example:2181", &News::tell, 10'000, nullptr, &news, 0);
      struct ::Stat stat{};
      zoo_exists(handle, "/lock", 0, &stat);
      zookeeper_close(handle);
    };
    std::thread a(look);
    std::thread b(look);
    a.join();
    b.join();
  };
  const lab::HuntReport report = hunt_threads("looks", body, executions(30'000, GetParam()));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "deadlock");
  EXPECT_THAT(report.failure->violation.message,
              HasSubstr("waits in pthread_cond_wait, called by the C client"));
}

// The session ends when an operator ends it, or while its client is stalled.
INSTANTIATE_TEST_SUITE_P(Faults, SynchronousCallTest, ::testing::Values("kill-session", "stall"),
                         [](const auto& fault) {
                           const std::string name = fault.param;
                           return name == "stall" ? "Stall" : "KillSession";
                         });

TEST(HuntThreadsTest, AThreadSleepsByTheClockOfItsProcess) {
  const auto body = [] {
    const auto sleep = [] {
      using std::chrono::steady_clock;
      const steady_clock::time_point begin = steady_clock::now();
      const steady_clock::time_point end = begin + std::chrono::seconds(1);
      std::this_thread::sleep_until(end);
      if (steady_clock::now() < end) std::abort();
    };
    std::thread a(sleep);
    std::thread b(sleep);
    a.join();
    b.join();
  };
  const lab::HuntReport report = hunt_threads("sleeps", body, executions(500, "clock-drift"));
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(HuntThreadsTest, GoogleTestHuntsToo) {
  lab::HuntSettings settings = executions(50);
  settings.size = {1, 1};
  EXPECT_NO_VIOLATION(under_test(three_contenders(Wait::kByData)), settings);
}

TEST(HuntThreadsTest, AFailedExpectationInAThreadBelongsToItsExecution) {
  const auto body = [] { EXPECT_EQ(count_with_two_threads(), 2) << "an update is lost"; };
  lab::HuntSettings settings = executions(50);
  settings.size = {1, 1};
  for (const bool in_forks : {false, true}) {
    const ThreadsUnderTest threads{.name = "counter", .body = body, .in_forks = in_forks};
    const ::testing::AssertionResult result = lab::no_violation(under_test(threads), settings);
    EXPECT_FALSE(result);
    const std::string message = result.message();
    EXPECT_THAT(message, HasSubstr("user:expectation"));
    EXPECT_THAT(message, HasSubstr("an update is lost"));
    EXPECT_THAT(message, HasSubstr("lockstep1/counter/c1r1/"));
  }
}

TEST(HuntThreadsTest, BadInputIsRefused) {
  EXPECT_THROW(hunt_threads("empty", {}), std::invalid_argument);
  EXPECT_THROW(violated("outside", "of a hunt"), std::logic_error);
  EXPECT_THROW(Inside("outside"), std::logic_error);
}

}  // namespace
}  // namespace lockstep::threads
