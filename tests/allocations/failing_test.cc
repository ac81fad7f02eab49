#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "allocations/own_heap.h"
#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/leader_latch.h"
#include "lockstep/multi_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/session_observer.h"
#include "lockstep/sleep.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

// A process whose memory is used up must not leave znodes that nobody deletes: its session may live
// on, and so would the lock.
namespace lockstep {
namespace {

using namespace unit;

// Lets one allocation fail, between an answer to the client and the last of its grants: later ones
// may belong to destructors, which end the process.
class OneFails final : public LockObserver, public SessionObserver {
 public:
  // After the `answer`-th answer, counted from 0, `allocation` more succeed.
  OneFails(std::size_t answer, std::size_t allocation, std::size_t grants)
      : answers_left_(answer), allocation_(allocation), grants_left_(grants) {}
  ~OneFails() override { heap::left_to_succeed = heap::kAllSucceed; }

  // Whether there was such an answer.
  [[nodiscard]] bool begun() const { return begun_; }

 private:
  void answered(OpCode, std::optional<Error>) override {
    internal::frame_pool.drain();  // A block of a frame that has ended would do for the next one.
    if (begun_ || answers_left_-- > 0 || grants_left_ == 0) return;
    begun_ = true;
    heap::left_to_succeed = allocation_;
  }
  void place_reserved(SessionId, const Path&, const Path&) override {
    internal::frame_pool.drain();
  }
  void granted(const GrantRecord&) override {
    if (--grants_left_ == 0) heap::left_to_succeed = heap::kAllSucceed;
  }

  std::size_t answers_left_;
  std::size_t allocation_;
  std::size_t grants_left_;
  bool begun_ = false;
};

// Ends the task also if the allocation has failed in the simulation itself.
template <class T>
T run(Simulation& simulation, Task<T> task) {
  try {
    return simulation.run(std::move(task));
  } catch (...) {
    simulation.end_tasks();
    throw;
  }
}

// A way to take locks, and to drop them. The observer is for all of them.
using Use = std::function<void(Simulation&, FakeSession&, LockObserver&)>;

void expect_no_znode_of(Simulation& simulation, const FakeSession& session) {
  for (const char* const parent : {"/lock", "/lock/locks", "/lock/leases"}) {
    for (const std::string& name : children(simulation, parent)) {
      const fakezk::Znode* const left = znode(simulation, Path(parent) / name);
      EXPECT_NE(left->ephemeral_owner, session.id()) << parent << "/" << name;
    }
  }
}

// kKept: the exception stays in a task in the background, such as the watch of a grant. Nothing is
// expected then: a simulated session that failed to send a request takes answers for those of other
// requests.
enum class Outcome { kNoSuchAnswer, kAllSucceeded, kKept, kThrown };

Outcome use_with_a_failure(const Use& use, std::size_t grants, std::size_t answer,
                           std::size_t allocation) {
  Simulation simulation;
  const std::shared_ptr<FakeSession> session = simulation.open("A");
  OneFails fails(answer, allocation, grants);
  session->set_observer(&fails);
  const std::size_t failures_before = heap::failures;
  bool thrown = false;
  try {
    use(simulation, *session, fails);
  } catch (const std::bad_alloc&) {
    thrown = true;
  } catch (const std::runtime_error&) {
    if (heap::failures == failures_before) throw;
  }
  session->set_observer(nullptr);
  if (heap::failures != failures_before && !thrown) return Outcome::kKept;
  simulation.settle();
  expect_no_znode_of(simulation, *session);
  if (!fails.begun()) return Outcome::kNoSuchAnswer;
  return thrown ? Outcome::kThrown : Outcome::kAllSucceeded;
}

void expect_nothing_left(const Use& use, std::size_t grants = 1) {
  std::size_t thrown = 0;
  Outcome last = Outcome::kThrown;
  for (std::size_t answer = 0; last != Outcome::kNoSuchAnswer; ++answer) {
    last = Outcome::kThrown;
    for (std::size_t allocation = 0; last > Outcome::kAllSucceeded; ++allocation) {
      SCOPED_TRACE(testing::Message() << "answer " << answer << ", allocation " << allocation);
      last = use_with_a_failure(use, grants, answer, allocation);
      thrown += last == Outcome::kThrown ? 1 : 0;
    }
  }
  EXPECT_GT(thrown, 2U);
}

TEST(FailingAllocationTest, AFairMutexLeavesNoZnode) {
  expect_nothing_left([](Simulation& simulation, FakeSession& session, LockObserver& observer) {
    FairMutex mutex(session, "/lock", &observer);
    static_cast<void>(run(simulation, mutex.acquire()));
  });
}

TEST(FailingAllocationTest, AnUnfairMutexLeavesNoZnode) {
  expect_nothing_left([](Simulation& simulation, FakeSession& session, LockObserver& observer) {
    UnfairMutex mutex(session, "/lock/znode", &observer);
    static_cast<void>(run(simulation, mutex.acquire()));
  });
}

TEST(FailingAllocationTest, AReadWriteLockLeavesNoZnode) {
  expect_nothing_left(
      [](Simulation& simulation, FakeSession& session, LockObserver& observer) {
        ReadWriteLock sides(session, "/lock", &observer);
        Result<HeldLock> held = run(simulation, sides.acquire_read());
        must(run(simulation, sides.upgrade(*held)), "upgrade");
        must(run(simulation, sides.downgrade(*held)), "downgrade");
      },
      3);
}

TEST(FailingAllocationTest, ASemaphoreLeavesNoZnode) {
  expect_nothing_left(
      [](Simulation& simulation, FakeSession& session, LockObserver& observer) {
        Semaphore semaphore(session, "/lock", 3, &observer);
        static_cast<void>(run(simulation, semaphore.acquire()));
      },
      2);  // The mutex, and the lease.
}

TEST(FailingAllocationTest, ADoubleBarrierLeavesNoZnode) {
  expect_nothing_left([](Simulation& simulation, FakeSession& session, LockObserver& observer) {
    DoubleBarrier barrier(session, "/lock", 1, &observer);
    static_cast<void>(run(simulation, barrier.enter()));
  });
}

// The request goes on without a waiter, and may be awaited again.
Task<void> await_without_memory(FakeSession& session) {
  const Context limited(session.executor().now() + 10s);
  auto asked = session.exists("/lock", limited);
  internal::frame_pool.drain();
  heap::left_to_succeed = 0;
  bool failed = false;
  try {
    static_cast<void>(co_await asked);
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  EXPECT_TRUE(failed);
  const TimePoint end = session.executor().now() + 5s;
  static_cast<void>(co_await sleep_until(session.executor(), end));
  EXPECT_EQ(session.executor().now(), end);
  EXPECT_EQ(error_of(co_await asked), Error::kNoNode);
}

TEST(FailingAllocationTest, AWaitThatFindsNoMemoryDoesNotResume) {
  Simulation simulation;
  const std::shared_ptr<FakeSession> session = simulation.open("A");
  simulation.run(await_without_memory(*session));
}

// Lets one allocation fail after it has begun to lead.
class LeadsAndFails final : public LeaderLatch::Listener {
 public:
  explicit LeadsAndFails(std::size_t allocation) : allocation_(allocation) {}
  ~LeadsAndFails() override { heap::left_to_succeed = heap::kAllSucceed; }
  void leads(const ClientGrant&) override {
    internal::frame_pool.drain();
    ++begun;
    heap::left_to_succeed = allocation_;
  }
  void leads_no_more(std::optional<Error>) override {
    heap::left_to_succeed = heap::kAllSucceed;
    ++ended;
  }

  int begun = 0;
  int ended = 0;

 private:
  std::size_t allocation_;
};

TEST(FailingAllocationTest, ALeaderAlwaysHearsOfItsEnd) {
  std::size_t failures = 0;
  std::size_t allocation = 0;
  do {
    failures = heap::failures;
    Simulation simulation;
    LeadsAndFails listener(allocation++);
    LeaderLatch latch(simulation.client("A"), "/lock", LockOptions(), listener);
    std::stop_source stop;
    try {
      const auto leads = simulation.start(latch.take_part(Context(stop.get_token())));
      simulation.settle();
      EXPECT_TRUE(leads.done() || latch.leads());
      stop.request_stop();
      simulation.settle();
    } catch (const std::bad_alloc&) {
      simulation.end_tasks();
    }
    EXPECT_EQ(listener.begun, 1);
    EXPECT_EQ(listener.ended, 1);
    EXPECT_FALSE(latch.leads());
  } while (heap::failures != failures);
}

TEST(FailingAllocationTest, AMultiLockLeavesNoZnode) {
  expect_nothing_left(
      [](Simulation& simulation, FakeSession& session, LockObserver& observer) {
        MultiLock both(session, {"/lock", "/lock/locks"}, &observer);
        static_cast<void>(run(simulation, both.acquire()));
      },
      2);
}

}  // namespace
}  // namespace lockstep
