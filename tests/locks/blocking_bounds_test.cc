#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "lockstep/blocking/leader_latch.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/recursive_read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/leader_election.h"
#include "lockstep/multi_lock.h"
#include "lockstep/recursive_mutex.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"
#include "support/session_waits.h"

// How long the calls of blocking locks take, and what ends them.
namespace lockstep {
namespace {

using namespace unit;

struct Thrown {
  std::error_code code;
  std::string text;
};

template <class Call>
Thrown error_thrown_by(Call call) {
  try {
    call();
  } catch (const blocking::LockError& error) {
    return {error.code(), error.what()};
  }
  return {};
}
template <class Call>
Thrown error_thrown_by_try(Call call) {
  return error_thrown_by([&] {
    const bool got = call();
    ADD_FAILURE() << "returned " << got;
  });
}

// A client that explains why it has no connection.
class ExplainingClient final : public Client {
 public:
  explicit ExplainingClient(Client& base) : base_(base) {}
  Task<Result<std::shared_ptr<Session>>> session(Context context) override {
    return base_.session(std::move(context));
  }
  [[nodiscard]] Executor& executor() const override { return base_.executor(); }
  [[nodiscard]] std::string last_failure() const override {
    return "127.0.0.1:2181: Connection refused";
  }

 private:
  Client& base_;
};

Task<void> stop_later(Executor& executor, std::stop_source source) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  source.request_stop();
}

// Breaks the connection in a second, for the rest of the test.
Task<void> disconnect_later(Simulation& simulation, FakeSession& session) {
  static_cast<void>(co_await sleep_for(session.executor(), 1s));
  simulation.cut(session);
  co_await support::StateReached(session, SessionState::kSuspended);
  simulation.hold_inbox(session);
}

blocking::Bounds bounds_of(Duration release, Duration attempt) {
  blocking::Bounds bounds;
  bounds.release_patience = release;
  bounds.try_patience = attempt;
  return bounds;
}

class BlockingBoundsTest : public SimulatedTest {
 protected:
  std::size_t places() { return children(simulation_, "/lock").size(); }
  // Holds back everything for the client's next session.
  void keep_from_connecting(fake::FakeClient& client) { simulation_.hold_inbox(*client.current()); }
  [[nodiscard]] std::stop_token stopped_in_a_second() {
    std::stop_source source;
    simulation_.start(stop_later(ann_.executor(), source));
    return source.get_token();
  }
  // Expects the call to be stopped after one second, not before and not later.
  template <class Call>
  void expect_stopped(Call call) {
    const TimePoint before = simulation_.now();
    EXPECT_EQ(error_thrown_by(call).code, std::errc::operation_canceled);
    EXPECT_EQ(simulation_.now(), before + 1s);
  }

  fake::FakeClient& ann_ = simulation_.client("Ann");
  fake::FakeClient& bob_ = simulation_.client("Bob");
};

TEST_F(BlockingBoundsTest, UnlockWaitsForALostConnectionForAMoment) {
  blocking::FairMutex mutex(ann_, "/lock");
  mutex.lock();
  const auto session = ann_.current();
  disconnect(simulation_, *session);
  const TimePoint before = simulation_.now();
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kUnknown);
  EXPECT_EQ(simulation_.now(), before + blocking::Bounds().release_patience);
  EXPECT_LT(blocking::Bounds().release_patience, session->timeout());
  EXPECT_EQ(places(), 1U);
  reconnect(simulation_, *session);
  EXPECT_EQ(places(), 0U);
}

TEST_F(BlockingBoundsTest, UnlockOnAStalledLinkGoesOnInTheBackground) {
  blocking::FairMutex mutex(ann_, "/lock", bounds_of(3s, 10s));
  mutex.lock();
  simulation_.hold(*ann_.current(), OpCode::kRemove);
  const TimePoint before = simulation_.now();
  mutex.unlock();
  EXPECT_EQ(simulation_.now(), before + 3s);
  let_go_and_settle(*ann_.current());
  EXPECT_EQ(places(), 0U);
  mutex.lock();  // The caller no longer holds it.
  mutex.unlock();
}

TEST_F(BlockingBoundsTest, UnlockWithoutPatienceWaitsForNoAnswer) {
  blocking::FairMutex mutex(ann_, "/lock", bounds_of(0s, 10s));
  mutex.lock();
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kUnknown);
  simulation_.settle();
  EXPECT_EQ(places(), 0U);
}

TEST_F(BlockingBoundsTest, ReleaseOfManyLeasesIsBoundedAsAWhole) {
  blocking::Semaphore semaphore(ann_, "/s", bounds_of(2s, 10s), 3);
  for (int i = 0; i < 3; ++i) semaphore.acquire();
  simulation_.hold(*ann_.current(), OpCode::kRemove);
  const TimePoint before = simulation_.now();
  semaphore.release(3);
  EXPECT_EQ(simulation_.now(), before + 2s);
  let_go_and_settle(*ann_.current());
  EXPECT_TRUE(children(simulation_, "/s/leases").empty());
}

// The destructor of std::unique_lock unlocks, so unlock() must not throw.
Task<void> unlock_inside(blocking::FairMutex& mutex) {
  const std::unique_lock lock(mutex, std::adopt_lock);
  co_return;
}

TEST_F(BlockingBoundsTest, AReleaseInsideTheSimulationBeginsAndIsNotAwaited) {
  blocking::FairMutex mutex(ann_, "/lock");
  mutex.lock();
  simulation_.start(unlock_inside(mutex));
  EXPECT_EQ(places(), 1U);
  simulation_.settle();
  EXPECT_EQ(places(), 0U);
  const std::lock_guard again(mutex);
}

TEST_F(BlockingBoundsTest, AReleaseThatCanNeverEndIsUnknown) {
  blocking::FairMutex mutex(ann_, "/lock", bounds_of(Duration::max(), 10s));
  mutex.lock();
  simulation_.hold(*ann_.current(), OpCode::kRemove);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kUnknown);
  let_go_and_settle(*ann_.current());
  EXPECT_EQ(places(), 0U);
}

Task<void> throw_after_a_reply(FakeSession& session) {
  static_cast<void>(co_await session.exists("/"));
  throw std::domain_error("from another task");
}

TEST_F(BlockingBoundsTest, AReleaseLeavesTheExceptionsOfOtherTasksToTheNextCall) {
  blocking::FairMutex mutex(ann_, "/lock");
  {
    const std::lock_guard lock(mutex);
    simulation_.start(throw_after_a_reply(*ann_.current()));
  }
  EXPECT_THROW(simulation_.settle(), std::domain_error);
  EXPECT_EQ(places(), 0U);
}

TEST_F(BlockingBoundsTest, ADeadlineBeyondTheEndOfTheClockNeverComes) {
  constexpr auto kNever = std::chrono::time_point<Clock, std::chrono::hours>::max();
  blocking::FairMutex mutex(ann_, "/lock");
  EXPECT_TRUE(std::unique_lock(mutex, kNever).owns_lock());
  EXPECT_TRUE(std::unique_lock(mutex, TimePoint::max()).owns_lock());
  blocking::ReadWriteLock lock(ann_, "/rw");
  EXPECT_TRUE(std::unique_lock(lock, kNever).owns_lock());
  EXPECT_TRUE(std::shared_lock(lock, kNever).owns_lock());
  blocking::Semaphore semaphore(ann_, "/s", 1);
  ASSERT_TRUE(semaphore.try_acquire_until(kNever));
  semaphore.release();
  blocking::LeaderLatch latch(ann_, "/election");
  latch.start();
  EXPECT_TRUE(latch.wait_until(kNever).has_value());
}

TEST_F(BlockingBoundsTest, AWaitWithoutAnEndIsADeadlockAlsoWithADeadline) {
  blocking::FairMutex anns(ann_, "/lock");
  blocking::FairMutex bobs(bob_, "/lock");
  const std::lock_guard lock(anns);
  EXPECT_THROW(bobs.lock(), fake::Deadlock);
  EXPECT_THROW(static_cast<void>(bobs.try_lock_until(TimePoint::max())), fake::Deadlock);
}

TEST_F(BlockingBoundsTest, TryLockWithoutAConnectionEndsWithAnErrorThatSaysSo) {
  keep_from_connecting(ann_);
  blocking::FairMutex mutex(ann_, "/lock");
  const TimePoint before = simulation_.now();
  EXPECT_EQ(error_thrown_by_try([&] { return mutex.try_lock(); }).code, Error::kNotConnected);
  EXPECT_EQ(simulation_.now(), before + blocking::Bounds().try_patience);
  blocking::Semaphore semaphore(ann_, "/s", bounds_of(1s, 4s), 1);
  EXPECT_EQ(error_thrown_by_try([&] { return semaphore.try_acquire(); }).code,
            Error::kNotConnected);
  EXPECT_EQ(simulation_.now(), before + blocking::Bounds().try_patience + 4s);
}

TEST_F(BlockingBoundsTest, TheTextNamesTheCallTheLockAndTheReason) {
  ExplainingClient client(ann_);
  keep_from_connecting(ann_);
  blocking::FairMutex mutex(client, "/locks/nightly");
  EXPECT_EQ(error_thrown_by_try([&] { return mutex.try_lock_for(2s); }).text,
            "lockstep: try_lock_for() on /locks/nightly: no connection within the deadline "
            "(127.0.0.1:2181: Connection refused)");
  blocking::Semaphore semaphore(client, "/s", 1);
  EXPECT_EQ(error_thrown_by_try([&] { return semaphore.try_acquire_for(2s); }).text,
            "lockstep: try_acquire_for() on /s: no connection within the deadline "
            "(127.0.0.1:2181: Connection refused)");
  EXPECT_EQ(error_thrown_by([&] { mutex.unlock(); }).text,
            "lockstep: unlock() on /locks/nightly: the caller does not hold it: Operation not "
            "permitted");
}

// A client with invalid options, which it reports like the production backend.
class DefectiveClient final : public Client {
 public:
  DefectiveClient(Executor& executor, Error error) : executor_(executor), error_(error) {}
  Task<Result<std::shared_ptr<Session>>> session(Context) override { co_return failure(error_); }
  [[nodiscard]] Executor& executor() const override { return executor_; }
  [[nodiscard]] std::string last_failure() const override {
    return "the session timeout of 1 ms is not between 100 ms and 86400000 ms";
  }

 private:
  Executor& executor_;
  Error error_;
};

TEST_F(BlockingBoundsTest, TheTextSaysWhatIsWrongWithTheOptions) {
  for (const Error error : {Error::kBadArguments, Error::kUnimplemented}) {
    DefectiveClient client(ann_.executor(), error);
    const std::string text = std::string(name(error)) +
                             " (the session timeout of 1 ms is not between 100 ms and 86400000 ms)";
    blocking::FairMutex mutex(client, "/lock");
    EXPECT_EQ(error_thrown_by([&] { mutex.lock(); }).text, "lockstep: lock() on /lock: " + text);
    blocking::Semaphore semaphore(client, "/s", 1);
    EXPECT_EQ(error_thrown_by([&] { semaphore.acquire(); }).text,
              "lockstep: acquire() on /s: " + text);
  }
}

Task<Error> error_of_acquire(OnClient<FairMutex>& lock) {
  const Result<ClientGrant> grant = co_await lock.acquire(1s);
  co_return grant ? Error::kNothing : grant.error();
}

TEST_F(BlockingBoundsTest, ACoroutinesErrorIsDescribedWithThePathAndTheClientsReason) {
  ExplainingClient client(ann_);
  OnClient<FairMutex> lock(client, "/locks/nightly");
  Rejoining<FairMutex> rejoining(client, "/locks/nightly");
  keep_from_connecting(ann_);
  const Error error = simulation_.run(error_of_acquire(lock));
  const std::string text =
      "/locks/nightly: no connection within the deadline (127.0.0.1:2181: Connection refused)";
  EXPECT_EQ(lock.describe(error), text);
  EXPECT_EQ(rejoining.describe(error), text);
  EXPECT_EQ(lock.path(), Path("/locks/nightly"));
}

TEST_F(BlockingBoundsTest, AnErrorOfTheLockItselfIsDescribedWithoutTheClient) {
  const ExplainingClient client(ann_);
  EXPECT_EQ(describe(Error::kNoNode, "/lock", client), "/lock: no node");
  EXPECT_EQ(describe(Error::kNotConnected, "/lock", ann_),
            "/lock: no connection within the deadline");
  EXPECT_EQ(describe(Error::kSessionExpired, "/lock"), "/lock: session expired");
}

TEST_F(BlockingBoundsTest, EveryErrorNamesThePath) {
  blocking::FairMutex mutex(ann_, "/lock");
  EXPECT_NE(
      error_thrown_by([&] { static_cast<void>(mutex.state()); }).text.find("state() on /lock:"),
      std::string::npos);
  mutex.lock();
  EXPECT_EQ(error_thrown_by([&] { mutex.lock(); }).text,
            "lockstep: lock() on /lock: Resource deadlock avoided (the caller holds it already)");
  mutex.unlock();
  blocking::Semaphore semaphore(ann_, "/s", 1);
  EXPECT_EQ(error_thrown_by([&] { semaphore.release(); }).text,
            "lockstep: release() on /s: the caller holds fewer leases: Operation not permitted");
  blocking::ReadWriteLock lock(ann_, "/rw");
  EXPECT_NE(error_thrown_by([&] { lock.upgrade(); }).text.find("upgrade() on /rw:"),
            std::string::npos);
}

TEST_F(BlockingBoundsTest, ASilentServerIsNotReportedAsAnotherHolder) {
  blocking::FairMutex mutex(ann_, "/lock");
  mutex.lock();
  mutex.unlock();
  simulation_.advance(1s);
  simulation_.hold(*ann_.current(), OpCode::kCreate);
  EXPECT_EQ(error_thrown_by_try([&] { return mutex.try_lock_for(1s); }).code,
            Error::kOperationTimeout);
  blocking::FairMutex impatient(ann_, "/lock", bounds_of(1s, 1s));
  EXPECT_EQ(error_thrown_by_try([&] { return impatient.try_lock(); }).code,
            Error::kOperationTimeout);
}

TEST_F(BlockingBoundsTest, ALostConnectionIsNotReportedAsAnotherHolder) {
  blocking::FairMutex mutex(ann_, "/lock");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  simulation_.advance(1s);
  simulation_.hold(*ann_.current(), OpCode::kCreate);
  simulation_.start(disconnect_later(simulation_, *ann_.current()));
  EXPECT_EQ(error_thrown_by_try([&] { return mutex.try_lock_for(3s); }).code, Error::kNotConnected);
}

TEST_F(BlockingBoundsTest, ALostConnectionIsNotReportedToAReaderAsAnotherReader) {
  blocking::RecursiveReadWriteLock lock(ann_, "/lock");
  lock.lock_shared();
  const auto session = ann_.current();
  disconnect(simulation_, *session);
  simulation_.advance(1s);
  EXPECT_EQ(error_thrown_by_try([&] { return lock.try_lock_for(1s); }).code, Error::kNotConnected);
  reconnect(simulation_, *session);
  lock.unlock_shared();
}

TEST_F(BlockingBoundsTest, AWaiterThatTimesOutIsToldThatAnotherHolds) {
  blocking::FairMutex anns(ann_, "/lock");
  blocking::FairMutex bobs(bob_, "/lock");
  const std::lock_guard lock(anns);
  ASSERT_FALSE(bobs.try_lock());
  simulation_.start(disconnect_later(simulation_, *bob_.current()));
  EXPECT_FALSE(bobs.try_lock_for(3s));
}

TEST_F(BlockingBoundsTest, AStopEndsEveryKindOfWait) {
  blocking::FairMutex held(ann_, "/lock");
  blocking::UnfairMutex unfairly_held(ann_, "/unfair");
  blocking::ReadWriteLock written(ann_, "/rw");
  blocking::Semaphore full(ann_, "/s", 1);
  const std::scoped_lock all(held, unfairly_held, written);
  full.acquire();

  blocking::FairMutex fair(bob_, "/lock");
  expect_stopped([&] { fair.lock(stopped_in_a_second()); });
  expect_stopped([&] { static_cast<void>(fair.try_lock_for(1h, stopped_in_a_second())); });
  expect_stopped([&] {
    static_cast<void>(fair.try_lock_until(simulation_.now() + 1h, stopped_in_a_second()));
  });
  blocking::UnfairMutex unfair(bob_, "/unfair");
  expect_stopped([&] { unfair.lock(stopped_in_a_second()); });
  blocking::RecursiveMutex recursive(bob_, "/lock");
  expect_stopped([&] { recursive.lock(stopped_in_a_second()); });
  blocking::ReadWriteLock lock(bob_, "/rw");
  expect_stopped([&] { lock.lock(stopped_in_a_second()); });
  expect_stopped([&] { lock.lock_shared(stopped_in_a_second()); });
  expect_stopped([&] { static_cast<void>(lock.try_lock_for(1h, stopped_in_a_second())); });
  expect_stopped([&] { static_cast<void>(lock.try_lock_shared_for(1h, stopped_in_a_second())); });
  blocking::Semaphore semaphore(bob_, "/s", 1);
  expect_stopped([&] { semaphore.acquire(stopped_in_a_second()); });
  expect_stopped([&] { static_cast<void>(semaphore.try_acquire_for(1h, stopped_in_a_second())); });

  full.release();
  simulation_.settle();
  EXPECT_EQ(places(), 1U);
}

TEST_F(BlockingBoundsTest, AStopEndsAnUpgrade) {
  blocking::ReadWriteLock anns(ann_, "/rw");
  blocking::ReadWriteLock bobs(bob_, "/rw");
  const std::shared_lock reads(anns);
  bobs.lock_shared();
  expect_stopped([&] { bobs.upgrade(stopped_in_a_second()); });
  EXPECT_EQ(bobs.state(), LockState::kHeld);
  bobs.unlock_shared();
}

TEST_F(BlockingBoundsTest, ADeadlineOrAStopTokenEndsTheWait) {
  blocking::FairMutex anns(ann_, "/lock");
  blocking::FairMutex bobs(bob_, "/lock");
  const std::lock_guard lock(anns);
  const TimePoint before = simulation_.now();
  EXPECT_FALSE(bobs.try_lock_for(500ms, stopped_in_a_second()));
  EXPECT_EQ(simulation_.now(), before + 500ms);
}

TEST_F(BlockingBoundsTest, TheTokenOfALossIsAskedWithoutTheExecutor) {
  blocking::FairMutex mutex(ann_, "/lock");
  mutex.lock();
  const std::stop_token lost = mutex.lost_token();
  bool told = false;
  {
    const std::stop_callback tell(lost, [&] { told = true; });
    simulation_.expire(*ann_.current());
    simulation_.settle();
  }
  EXPECT_TRUE(told);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kAlreadyLost);
}

// ------------------------------------------------------------------ the same for coroutines

class WithinTest : public BlockingBoundsTest {
 protected:
  void SetUp() override { holder_.emplace(must(simulation_.run(fair_.acquire(30s)), "acquire")); }
  // Expects a timeout after that time.
  template <class T>
  void expect_timed_out_after(Duration wait, Task<Result<T>> task) {
    const TimePoint before = simulation_.now();
    EXPECT_EQ(error_of(simulation_.run(std::move(task))), Error::kTimedOut);
    EXPECT_EQ(simulation_.now(), before + wait);
  }

  std::shared_ptr<FakeSession> session_ = simulation_.open("A");
  FairMutex fair_{*session_, "/lock"};
  std::optional<HeldLock> holder_;
};

TEST_F(WithinTest, EveryRecipeTakesADuration) {
  expect_timed_out_after(3s, fair_.acquire(3s));
  EXPECT_EQ(error_of(simulation_.run(fair_.try_acquire(3s))), Error::kConflict);
  UnfairMutex unfair(*session_, "/unfair");
  const HeldLock unfairly_held = must(simulation_.run(unfair.acquire(1h)), "acquire");
  expect_timed_out_after(1500ms, unfair.acquire(1500ms));
  ReadWriteLock lock(*session_, "/rw");
  const HeldLock written = must(simulation_.run(lock.acquire_write(1s)), "acquire");
  expect_timed_out_after(2s, lock.acquire_read(2s));
  expect_timed_out_after(2s, lock.acquire_write(2s));
  Semaphore semaphore(*session_, "/s", 1);
  const HeldLock lease = must(simulation_.run(semaphore.acquire(1s)), "acquire");
  expect_timed_out_after(2s, semaphore.acquire(2s));
  MultiLock multi(*session_, {Path("/a"), Path("/lock")});
  expect_timed_out_after(2s, multi.acquire(2s));
  RecursiveMutex recursive(*session_, "/lock");
  expect_timed_out_after(2s, recursive.acquire(LockOwner(this), 2s));
  LeaderElection election(*session_, "/lock", "me");
  expect_timed_out_after(2s, election.campaign(2s));
}

TEST_F(WithinTest, AClientsLocksTakeADurationToo) {
  OnClient<FairMutex> mutex(ann_, "/lock");
  expect_timed_out_after(3s, mutex.acquire(3s));
  EXPECT_EQ(error_of(simulation_.run(mutex.try_acquire(3s))), Error::kConflict);
  Rejoining<FairMutex> rejoining(ann_, "/lock");
  expect_timed_out_after(3s, rejoining.acquire(3s));
}

TEST_F(WithinTest, TheDurationBeginsWhenItIsNamed) {
  const Context patience = within(session_->executor(), 3s);
  simulation_.advance(2s);
  expect_timed_out_after(1s, fair_.acquire(patience));
}

TEST_F(WithinTest, AHundredYearsMeanForever) {
  EXPECT_TRUE(within(session_->executor(), Duration::max()).endless());
  EXPECT_TRUE(within(session_->executor(), std::chrono::hours::max()).endless());
  EXPECT_EQ(within(session_->executor(), -1h).deadline(), simulation_.now());
  std::stop_source stop;
  EXPECT_FALSE(within(session_->executor(), Duration::max(), stop.get_token()).endless());
}

TEST_F(WithinTest, AClientWithoutAConnectionSaysSo) {
  keep_from_connecting(ann_);
  OnClient<FairMutex> mutex(ann_, "/lock");
  EXPECT_EQ(error_of(simulation_.run(mutex.acquire(2s))), Error::kNotConnected);
}

}  // namespace
}  // namespace lockstep
