#include "lockstep/callback.h"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "lockstep/semaphore.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class CallbackTest : public SimulatedSessionTest {};

TEST_F(CallbackTest, IsCalledOnceWithTheGrant) {
  FairMutex mutex(*session_, "/lock");
  int calls = 0;
  std::optional<HeldLock> kept;
  start(*session_, mutex.acquire(), [&](Result<HeldLock> held) {
    ++calls;
    kept.emplace(must(std::move(held), "acquire"));
  });
  EXPECT_EQ(calls, 0);
  simulation_.settle();
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->state(), LockState::kHeld);
}

TEST_F(CallbackTest, AGrantThatIsNotKeptIsReleased) {
  FairMutex mutex(*session_, "/lock");
  start(*session_, mutex.acquire(), [](const Result<HeldLock>&) {});
  simulation_.settle();
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(CallbackTest, IsCalledWithTheError) {
  FairMutex mutex(*session_, "relative");
  std::optional<Error> error;
  start(*session_, mutex.acquire(), [&](const Result<HeldLock>& held) { error = error_of(held); });
  simulation_.settle();
  EXPECT_EQ(error, Error::kBadArguments);
}

TEST_F(CallbackTest, ItsExceptionGoesToTheCallerThatRunsTheExecutor) {
  start(*session_, exists(*session_, "/"),
        [](const Result<Stat>&) { throw std::domain_error("from the callback"); });
  EXPECT_THROW(simulation_.settle(), std::domain_error);
  must(simulation_.run(exists(*session_, "/")), "the session goes on");
}

TEST_F(CallbackTest, IsNotCalledOnceItsSessionIsDestroyed) {
  bool called = false;
  {
    const auto other = simulation_.open("B");
    start(*other, exists(*other, "/"), [&](const Result<Stat>&) { called = true; });
  }
  simulation_.settle();
  EXPECT_FALSE(called);
}

TEST_F(CallbackTest, SurvivesSessionsInATaskSet) {
  fake::FakeClient& client = simulation_.client("C");
  OnClient<FairMutex> mutex(client, "/lock");
  TaskSet tasks;
  std::optional<ClientGrant> kept;
  start(tasks, mutex.acquire(),
        [&](Result<ClientGrant> grant) { kept.emplace(must(std::move(grant), "acquire")); });
  simulation_.settle();
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->session, client.current());
}

TEST_F(CallbackTest, IsCalledAtTheEndOfATaskWithoutResult) {
  bool called = false;
  start(*session_, ignore(exists(*session_, "/")), [&] { called = true; });
  simulation_.settle();
  EXPECT_TRUE(called);
}

TEST_F(CallbackTest, ReleaseOutlivesTheGrant) {
  FairMutex mutex(*session_, "/lock");
  std::optional<ReleaseOutcome> outcome;
  const auto keep = [&](ReleaseOutcome released) { outcome = released; };
  start(*session_, mutex.acquire(),
        [&](Result<HeldLock> held) { start(*session_, held->release(), keep); });
  simulation_.settle();
  EXPECT_EQ(outcome, ReleaseOutcome::kReleased);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(CallbackTest, ReleaseOutlivesSeveralGrants) {
  Semaphore semaphore(*session_, "/s", 3);
  std::optional<ReleaseOutcome> outcome;
  const auto keep = [&](ReleaseOutcome released) { outcome = released; };
  start(*session_, semaphore.acquire(3),
        [&](Result<HeldLocks> held) { start(*session_, held->release(), keep); });
  simulation_.settle();
  EXPECT_EQ(outcome, ReleaseOutcome::kReleased);
  EXPECT_TRUE(children(simulation_, "/s/leases").empty());
}

TEST_F(CallbackTest, AReleaseThatIsDroppedAfterItsGrantGoesOnInTheBackground) {
  FairMutex mutex(*session_, "/lock");
  std::optional<HeldLock> held(must(simulation_.run(mutex.acquire()), "acquire"));
  simulation_.hold(*session_, OpCode::kRemove);
  TaskSet tasks;
  start(tasks, held->release(), [](ReleaseOutcome) { ADD_FAILURE() << "it was dropped"; });
  held.reset();
  tasks.clear();
  let_go_and_settle(*session_);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(CallbackTest, ItMayClearItsTaskSet) {
  FairMutex mutex(*session_, "/lock");
  TaskSet tasks;
  bool called = false;
  bool other_called = false;
  start(tasks, mutex.acquire(), [&](const Result<HeldLock>&) {
    tasks.clear();
    called = true;
  });
  start(tasks, mutex.acquire(), [&](const Result<HeldLock>&) { other_called = true; });
  simulation_.settle();
  EXPECT_TRUE(called);
  EXPECT_FALSE(other_called);
  EXPECT_TRUE(tasks.empty());
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(CallbackTest, ItMayDestroyItsTaskSet) {
  auto tasks = std::make_unique<TaskSet>();
  TaskSet& set = *tasks;
  bool called = false;
  start(set, exists(*session_, "/"),
        [&called, owner = std::move(tasks)](const Result<Stat>&) mutable {
          owner.reset();
          called = true;
        });
  simulation_.settle();
  EXPECT_TRUE(called);
}

TEST_F(CallbackTest, ItMayDestroyItsSession) {
  auto other = simulation_.open("B");
  bool called = false;
  start(*other, exists(*other, "/"), [&](const Result<Stat>&) {
    other.reset();
    called = true;
  });
  simulation_.settle();
  EXPECT_TRUE(called);
}

TEST_F(CallbackTest, ItsExceptionStaysInItsTaskSet) {
  TaskSet tasks;
  start(tasks, exists(*session_, "/"),
        [](const Result<Stat>&) { throw std::domain_error("from the callback"); });
  simulation_.settle();
  EXPECT_TRUE(tasks.empty());
  EXPECT_THROW(std::rethrow_exception(tasks.first_exception()), std::domain_error);
}

}  // namespace
}  // namespace lockstep
