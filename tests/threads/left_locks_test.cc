#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/lab/replay.h"
#include "lockstep/threads/hunt_threads.h"

// All executions of a hunt, and the trials that shrink a violation, run in one process, and find
// its static locks as the previous one has left them.

namespace lockstep::threads {
namespace {

using ::testing::HasSubstr;

template <class Lock>
void take_both(Lock& first, Lock& second) {
  const std::lock_guard outer(first);
  const std::lock_guard inner(second);
}

template <class Lock>
ThreadsUnderTest opposite_orders() {
  static Lock a;
  static Lock b;
  const auto body = [] {
    std::thread one([] { take_both(a, b); });
    std::thread other([] { take_both(b, a); });
    one.join();
    other.join();
  };
  return {.name = "opposite-orders", .body = body};
}

template <class Lock>
class LeftLocksHuntTest : public ::testing::Test {};

using Locks = ::testing::Types<std::mutex, std::recursive_mutex, std::shared_mutex>;
TYPED_TEST_SUITE(LeftLocksHuntTest, Locks);

TYPED_TEST(LeftLocksHuntTest, ADeadlockOfStaticLocksIsFoundShrunkAndReplayed) {
  const lab::LockUnderTest lock = under_test(opposite_orders<TypeParam>());
  lab::HuntSettings settings;
  settings.size = {1, 1};
  settings.executions = 2'000;
  const lab::HuntReport report = hunt_lock(lock, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "deadlock") << report.text();
  EXPECT_THAT(report.failure->violation.message, HasSubstr("T1 waits in"));
  EXPECT_THAT(report.failure->violation.message, HasSubstr("T2 waits in"));
  EXPECT_GT(report.failure->deviations, 0u);  // The default schedule has no deadlock.
  const lab::ReplayReport replayed = lab::replay_lock(report.failure->replay, lock);
  ASSERT_TRUE(replayed.violation.has_value()) << replayed.text();
  EXPECT_EQ(replayed.violation->oracle, "deadlock");
}

struct BadPaths {
  const char* name;
  std::vector<std::string> znodes;
  std::string lock_path;
  const char* message;
};

class BadPathsTest : public ::testing::TestWithParam<BadPaths> {};

TEST_P(BadPathsTest, AreRefusedBeforeAnythingRuns) {
  const BadPaths& bad = GetParam();
  try {
    static_cast<void>(under_test(
        {.name = "bad", .body = [] {}, .znodes = bad.znodes, .lock_path = bad.lock_path}));
    FAIL() << "was taken";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), bad.message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadPathsTest,
    ::testing::Values(
        BadPaths{"Relative", {"a"}, "", "'bad' names 'a', which is not the path of a znode"},
        BadPaths{"Root", {"/"}, "", "'bad' names '/', which is not the path of a znode"},
        BadPaths{
            "NoParent", {"/a/b", "/a"}, "", "'bad' names '/a/b', which comes before its parent"},
        BadPaths{"Twice", {"/a", "/a"}, "", "'bad' names '/a', which is there twice"},
        BadPaths{"OfTheServers",
                 {"/zookeeper"},
                 "",
                 "'bad' names '/zookeeper', which belongs to the servers"},
        BadPaths{"Lock", {"/a", "/a/b"}, "a", "'bad' names 'a', which is not the path of a znode"},
        BadPaths{"RootAsLock", {}, "/", "'bad' names '/', which is not the path of a znode"},
        BadPaths{"LockOfTheServers",
                 {},
                 "/zookeeper/a",
                 "'bad' names '/zookeeper/a', which belongs to the servers"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace lockstep::threads
