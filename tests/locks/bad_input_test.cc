#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/leader_election.h"
#include "lockstep/multi_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/recursive_mutex.h"
#include "lockstep/recursive_read_write_lock.h"
#include "lockstep/revocation.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

// Every recipe's response to invalid arguments. Arguments that only one recipe takes (a grace
// period, a number of leases) are tested with that recipe.
namespace lockstep {
namespace {

using namespace unit;

template <class T>
Task<Result<void>> without_value(Task<Result<T>> task) {
  const Result<T> result = co_await std::move(task);
  if (!result) co_return failure(result.error());
  co_return Result<void>();
}

// One way to acquire, with the recipe on the frame.
template <class Recipe, class... Settings>
Task<Result<void>> acquire(Session& session, Path path, Context context, Settings... settings) {
  Recipe recipe(session, path, settings...);
  co_return co_await without_value(recipe.acquire(context));
}
Task<Result<void>> enter(Session& session, Path path, Context context) {
  RecursiveMutex mutex(session, path);
  co_return co_await without_value(mutex.acquire(LockOwner(&session), context));
}
Task<Result<void>> read(Session& session, Path path, Context context) {
  ReadWriteLock lock(session, path);
  co_return co_await without_value(lock.acquire_read(context));
}
Task<Result<void>> write(Session& session, Path path, Context context) {
  ReadWriteLock lock(session, path);
  co_return co_await without_value(lock.acquire_write(context));
}
Task<Result<void>> write_recursively(Session& session, Path path, Context context) {
  RecursiveReadWriteLock lock(session, path);
  co_return co_await without_value(lock.acquire_write(LockOwner(&session), context));
}
Task<Result<void>> acquire_all(Session& session, Path path, Context context) {
  std::vector<Path> paths;
  paths.push_back(path);
  MultiLock lock(session, std::move(paths));
  co_return co_await without_value(lock.acquire(context));
}
Task<Result<void>> acquire_any(Session& session, Path path, Context context) {
  MultiLock lock(session, LockSet().read(std::move(path)));
  co_return co_await without_value(lock.acquire(context));
}
Task<Result<void>> enter_alone(Session& session, Path path, Context context) {
  DoubleBarrier barrier(session, path, 1);
  co_return co_await without_value(barrier.enter(context));
}
Task<Result<void>> campaign(Session& session, Path path, Context context) {
  LeaderElection election(session, path, Data("me"));
  co_return co_await without_value(election.campaign(context));
}
Task<Result<void>> one_lease(Session& session, Path path, Context context) {
  return acquire<Semaphore, std::int32_t>(session, std::move(path), std::move(context), 1);
}

Task<Result<void>> two_leases(Session& session, Path path, Context context) {
  Semaphore semaphore(session, std::move(path), 2);
  co_return co_await without_value(semaphore.acquire(2, context));
}

struct Way {
  std::string name;
  std::function<Task<Result<void>>(Session&, Path, Context)> acquire;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class BadInputTest : public SimulatedSessionTest, public ::testing::WithParamInterface<Way> {
 protected:
  std::optional<Error> error_on(Path path, Context context = Context()) {
    const Result<void> result = run_and_settle(GetParam().acquire(*session_, path, context));
    return error_of(result);
  }
};

TEST_P(BadInputTest, AMalformedPathIsBadArgumentsAndLeavesNothing) {
  const std::vector<std::string> before = children(simulation_, "/");
  for (const char* const path : {"", "lock", "a/b", "/a//b", "/a/", "/a/../b", "/./a", "/a\x01"}) {
    EXPECT_EQ(error_on(path), Error::kBadArguments) << path;
    EXPECT_EQ(children(simulation_, "/"), before) << path;
  }
}

TEST_P(BadInputTest, ADeadlineThatHasPassedChangesNothing) {
  simulation_.advance(1s);
  EXPECT_EQ(error_on("/lock", Context(simulation_.now())), Error::kTimedOut);
  EXPECT_EQ(error_on("/lock", Context(simulation_.now() - 1s)), Error::kTimedOut);
  EXPECT_TRUE(simulation_.world().server().history().empty());
}

TEST_P(BadInputTest, AStoppedTokenChangesNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(error_on("/lock", Context(stop.get_token())), Error::kCancelled);
  EXPECT_TRUE(simulation_.world().server().history().empty());
}

TEST_P(BadInputTest, AnEndedSessionIsAnError) {
  must(simulation_.run(close(*session_)), "close");
  EXPECT_EQ(error_on("/lock"), Error::kClosing);
}

INSTANTIATE_TEST_SUITE_P(Recipes, BadInputTest,
                         ::testing::Values(Way{"fair", &acquire<FairMutex>},
                                           Way{"unfair", &acquire<UnfairMutex>},
                                           Way{"recursive", &enter}, Way{"read", &read},
                                           Way{"write", &write},
                                           Way{"recursive_write", &write_recursively},
                                           Way{"semaphore", &one_lease}, Way{"leases", &two_leases},
                                           Way{"multi", &acquire_all}, Way{"any", &acquire_any},
                                           Way{"barrier", &enter_alone}, Way{"leader", &campaign}),
                         [](const auto& way) { return way.param.name; });

class BadInputOfOthersTest : public SimulatedSessionTest {};

TEST_F(BadInputOfOthersTest, LookingAtAMalformedPathIsBadArguments) {
  for (const char* const path : {"", "lock", "/a//b"}) {
    EXPECT_EQ(error_of(simulation_.run(contenders_of(*session_, path, kMutexMarks, Context()))),
              Error::kBadArguments);
    EXPECT_EQ(error_of(simulation_.run(revoke(*session_, path))), Error::kBadArguments);
  }
}

TEST_F(BadInputOfOthersTest, TheRootIsALockLikeAny) {
  FairMutex mutex(*session_, "/");
  HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(held.lock(), Path("/"));
  EXPECT_EQ(held.znode().parent(), Path("/"));
  EXPECT_EQ(error_of(simulation_.run(mutex.try_acquire())), Error::kConflict);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
}

TEST_F(BadInputOfOthersTest, UseAfterAMoveIsMisuse) {
  FairMutex mutex(*session_, "/lock");
  HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  const HeldLock moved = std::move(held);
  EXPECT_DEATH(static_cast<void>(held.release()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.fencing_token()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.state()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.cause()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.lost_token()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.revoked_token()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.valid_until()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.check()), "moved-from HeldLock");
  EXPECT_DEATH(static_cast<void>(held.znode()), "moved-from HeldLock");
  RecursiveMutex recursive(*session_, "/recursive");
  RecursiveMutex::Hold hold = must(simulation_.run(recursive.acquire(LockOwner(this))), "acquire");
  RecursiveMutex::Hold other = std::move(hold);
  EXPECT_DEATH(static_cast<void>(hold.held()), "released or moved from");
  EXPECT_DEATH(simulation_.run(ignore(hold.release())), "released or moved from");
  EXPECT_EQ(simulation_.run(other.release()), ReleaseOutcome::kReleased);
}

TEST_F(BadInputOfOthersTest, NothingIsLeftOfLocksThatWereMovedFrom) {
  std::vector<Path> paths;
  paths.emplace_back("/a");
  MultiLock lock(*session_, std::move(paths));
  HeldLocks held = must(simulation_.run(lock.acquire()), "acquire");
  HeldLocks moved = std::move(held);
  EXPECT_TRUE(held.each().empty());
  EXPECT_EQ(simulation_.run(moved.release()), ReleaseOutcome::kReleased);
}

}  // namespace
}  // namespace lockstep
