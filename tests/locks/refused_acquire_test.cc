// An acquire that has created nothing leaves nothing to clean up, and alarms no observer.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/session_observer.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class CleanupCounter final : public SessionObserver {
 public:
  void cleaning_up(const Path&) override { ++begun; }
  void not_cleaned_up(const Path&, Error) override { ++failed; }

  int begun = 0;
  int failed = 0;
};

Task<Result<void>> create_with_acl(Session& session, Path path, Acl acl) {
  Creation creation(CreateMode::kPersistent, std::move(acl));
  co_await ok(session.create(path, Data(), std::move(creation)));
  co_return Result<void>();
}

class RefusedAcquireTest : public SimulatedTest {
 protected:
  RefusedAcquireTest() { session_->set_observer(&cleanups_); }
  ~RefusedAcquireTest() override { EXPECT_EQ(cleanups_.failed, 0); }

  void expect_refused(Task<Result<HeldLock>> acquire, Error error) {
    EXPECT_EQ(error_of(run_and_settle(std::move(acquire))), error);
    EXPECT_EQ(cleanups_.begun, 0);
  }

  CleanupCounter cleanups_;
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(RefusedAcquireTest, AMalformedPathIsNeverSent) {
  const RequestCounter requests(simulation_);
  for (const std::string path : {"", "locks/a", "/a//b"}) {
    FairMutex fair(*session_, Path(path));
    expect_refused(fair.acquire(), Error::kBadArguments);
    ReadWriteLock shared(*session_, Path(path));
    expect_refused(shared.acquire_write(), Error::kBadArguments);
    UnfairMutex unfair(*session_, Path(path));
    expect_refused(unfair.acquire(), Error::kBadArguments);
  }
  EXPECT_EQ(requests.of(*session_), 0U);
}

TEST_F(RefusedAcquireTest, ADeadlineThatHasPassedSendsNothing) {
  const RequestCounter requests(simulation_);
  const Context passed(simulation_.now());
  FairMutex fair(*session_, "/lock");
  expect_refused(fair.try_acquire(passed), Error::kTimedOut);
  UnfairMutex unfair(*session_, "/lock/holder");
  expect_refused(unfair.try_acquire(passed), Error::kTimedOut);
  EXPECT_EQ(requests.of(*session_), 0U);
}

TEST_F(RefusedAcquireTest, WhatTheServerForbidsWasNotCreated) {
  must(simulation_.run(create_with_acl(*session_, "/closed", Acl::read_only())), "create");
  FairMutex fair(*session_, "/closed");
  expect_refused(fair.acquire(), Error::kNoAuth);
  FairMutex deeper(*session_, "/closed/a/b");
  expect_refused(deeper.acquire(), Error::kNoAuth);
  UnfairMutex unfair(*session_, "/closed/holder");
  expect_refused(unfair.acquire(), Error::kNoAuth);
}

TEST_F(RefusedAcquireTest, WhatIsTooLargeWasNotCreated) {
  const LockOptions options(Data(std::string(2'000'000, 'x')));
  FairMutex fair(*session_, "/lock", options);
  expect_refused(fair.acquire(), Error::kPacketTooLarge);
  UnfairMutex unfair(*session_, "/lock/holder", options);
  expect_refused(unfair.acquire(), Error::kPacketTooLarge);
}

TEST_F(RefusedAcquireTest, ALostCreateIsCleanedUp) {
  FairMutex fair(*session_, "/lock");
  const auto lost = simulation_.start(fair.acquire(Context(simulation_.now() + 1s)));
  simulation_.hold_inbox(*session_);
  simulation_.advance(1s);
  EXPECT_EQ(error_of(lost.result()), Error::kTimedOut);
  let_go_and_settle(*session_);
  EXPECT_EQ(cleanups_.begun, 1);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

Task<Result<void>> forbid(Session& session, Path path) {
  co_return co_await session.set_acl(path, Acl::read_only());
}

// An administrator has created the lock where its users may create nothing.
TEST_F(RefusedAcquireTest, ALostCreateIsRepeatedWithoutCreatingTheParent) {
  must(simulation_.run(create(*session_, "/locks")), "create");
  must(simulation_.run(create(*session_, "/locks/pay")), "create");
  must(simulation_.run(forbid(*session_, "/locks")), "set_acl");
  FairMutex fair(*session_, "/locks/pay");
  UnfairMutex unfair(*session_, "/locks/pay/holder");
  const auto fairly = simulation_.start(fair.acquire());
  const auto unfairly = simulation_.start(unfair.acquire());
  disconnect(simulation_, *session_);
  reconnect(simulation_, *session_);
  ASSERT_TRUE(fairly.done() && unfairly.done());
  EXPECT_EQ(error_of(fairly.result()), std::nullopt);
  EXPECT_EQ(error_of(unfairly.result()), std::nullopt);
}

TEST_F(RefusedAcquireTest, NothingIsLeftBelowAParentThatHasGone) {
  remove_guaranteed_by_guid(*session_, "/gone", "_c_0");
  simulation_.settle();
  EXPECT_TRUE(session_->background().empty());
}

}  // namespace
}  // namespace lockstep
