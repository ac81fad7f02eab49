#include "support/round_trips.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "conformance/conformance.h"
#include "lockstep/async_event.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/leader_election.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/task_set.h"

// The round trips that a recipe waits for, on both backends.
namespace lockstep::conformance {

namespace {

using support::RoundTrips;

// A contender that waits until `held` is set.
class Waiter {
 public:
  Waiter(std::shared_ptr<Session> session, Path lock)
      : session_(std::move(session)), mutex_(*session_, std::move(lock)) {}

  void begin() { tasks_.spawn(wait_for_it(*this)); }
  Session& session() { return *session_; }
  AsyncEvent& held() { return held_; }
  // The round trips since trips().start().
  RoundTrips& trips() { return trips_; }
  std::size_t taken() const { return taken_; }
  HeldLock& lock() { return **lock_; }

 private:
  static Task<void> wait_for_it(Waiter& self) {
    self.lock_.emplace(co_await self.mutex_.acquire());
    self.taken_ = self.trips_.taken();
    self.held_.set();
  }

  std::shared_ptr<Session> session_;
  RoundTrips trips_{*session_};
  FairMutex mutex_;
  std::optional<Result<HeldLock>> lock_;
  std::size_t taken_ = 0;
  AsyncEvent held_{session_->executor()};
  TaskSet tasks_;
};

// Waits until the contender sends nothing more before others leave. It sends each dependent request
// at once, so two rounds are enough for everything after it has queued up.
Task<void> queue_up(Waiter& waiter, Path path) {
  waiter.begin();
  for (int round = 0; round < 3 || !waiter.trips().idle(); ++round) {
    co_await settle(waiter.session(), path);
  }
  waiter.trips().start();
}

template <class Lock>
Task<std::size_t> trips_of(Session& session, Lock& lock) {
  RoundTrips trips(session);
  HeldLock held = must(co_await lock.acquire(), "acquire");
  const std::size_t taken = trips.taken();
  co_await held.release();
  EXPECT_EQ(trips.taken(), taken + 1);
  co_return taken;
}

}  // namespace

CONFORMANCE_TEST_ON_ZNODE(AnUncontendedAcquireTakesOneRoundTrip) {
  FairMutex mutex(session, path);
  EXPECT_EQ(co_await trips_of(session, mutex), 1U);
  LeaderElection election(session, path, Data());
  RoundTrips campaign(session);
  HeldLock leads = must(co_await election.campaign(), "campaign");
  EXPECT_EQ(campaign.taken(), 1U);
  co_await leads.release();
}

CONFORMANCE_TEST_ON_ZNODE(AnUncontendedReaderOrWriterTakesOneRoundTrip) {
  ReadWriteLock lock(session, path);
  RoundTrips trips(session);
  HeldLock reader = must(co_await lock.acquire_read(), "read");
  EXPECT_EQ(trips.taken(), 1U);
  co_await reader.release();
  trips.start();
  HeldLock writer = must(co_await lock.acquire_write(), "write");
  EXPECT_EQ(trips.taken(), 1U);
  co_await writer.release();
}

// One round trip for the turn, one for the lease.
CONFORMANCE_TEST_ON_ZNODE(AnUncontendedLeaseTakesTwoRoundTrips) {
  co_await create(session, path / "locks");
  co_await create(session, path / "leases");
  Semaphore semaphore(session, path, 1);
  EXPECT_EQ(co_await trips_of(session, semaphore), 2U);
}

CONFORMANCE_TEST_ON_ZNODE(AHandoffToTheOnlyWaiterTakesNoRoundTrip) {
  FairMutex mutex(session, path);
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  Waiter waiter(co_await lab.open(), path);
  co_await queue_up(waiter, path);
  co_await held.release();
  static_cast<void>(co_await waiter.held().wait());
  EXPECT_EQ(waiter.taken(), 0U);
  co_await waiter.lock().release();
}

CONFORMANCE_TEST_ON_ZNODE(ALookAtAQueueTakesTwoRoundTripsAndAHandoffInItOne) {
  FairMutex mutex(session, path);
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  Waiter second(co_await lab.open(), path);
  co_await queue_up(second, path);
  Waiter third(co_await lab.open(), path);
  co_await queue_up(third, path);
  RoundTrips look(session);
  EXPECT_EQ(must(co_await mutex.contenders(), "contenders").size(), 3U);
  EXPECT_EQ(look.taken(), 2U) << "one for the list, one for all znodes";
  co_await held.release();
  static_cast<void>(co_await second.held().wait());
  EXPECT_EQ(second.taken(), 0U);
  co_await second.lock().release();
  static_cast<void>(co_await third.held().wait());
  EXPECT_EQ(third.taken(), 1U);
  co_await third.lock().release();
}

}  // namespace lockstep::conformance
