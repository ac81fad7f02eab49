#include "lockstep/lock_options.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
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

// Every recipe accepts the same options, and obeys them.
namespace lockstep {
namespace {

using namespace unit;

// Keeps a grant, with everything that it needs.
using Grant = std::shared_ptr<const HeldLock>;

// Shares ownership of `kept`, and points at its grant.
template <class Whole>
Grant part_of(std::shared_ptr<Whole> kept, const HeldLock& held) {
  return Grant(std::move(kept), &held);
}

constexpr auto kTake = [](auto& lock) { return lock.acquire(); };
constexpr auto kTakeToRead = [](ReadWriteLock& lock) { return lock.acquire_read(); };
constexpr auto kTakeToWrite = [](ReadWriteLock& lock) { return lock.acquire_write(); };
constexpr auto kTakePart = [](DoubleBarrier& barrier) { return barrier.enter(); };
constexpr auto kTakeTheLead = [](LeaderElection& election) { return election.campaign(); };
constexpr auto kTakeAsOwner = [](RecursiveMutex& mutex) {
  return mutex.acquire(LockOwner(&mutex));
};
constexpr auto kTakeToWriteAsOwner = [](RecursiveReadWriteLock& lock) {
  return lock.acquire_write(LockOwner(&lock));
};

template <class Lock, auto kHow, int... kCount>
Task<Result<Grant>> take_from(Session& session, LockOptions options) {
  Lock lock(session, "/lock", kCount..., std::move(options));
  HeldLock held = co_await ok(kHow(lock));
  co_return std::make_shared<HeldLock>(std::move(held));
}
Task<Result<Grant>> take_unfair(Session& session, LockOptions options) {
  UnfairMutex mutex(session, "/lock/znode", std::move(options));
  HeldLock held = co_await ok(mutex.acquire());
  co_return std::make_shared<HeldLock>(std::move(held));
}
Task<Result<Grant>> take_upgraded(Session& session, LockOptions options) {
  ReadWriteLock lock(session, "/lock", std::move(options));
  HeldLock held = co_await ok(lock.acquire_read());
  co_await ok(lock.upgrade(held));
  co_return std::make_shared<HeldLock>(std::move(held));
}
Task<Result<Grant>> take_downgraded(Session& session, LockOptions options) {
  ReadWriteLock lock(session, "/lock", std::move(options));
  HeldLock held = co_await ok(lock.acquire_write());
  co_await ok(lock.downgrade(held));
  co_return std::make_shared<HeldLock>(std::move(held));
}

// A lock that its holds refer to.
template <class Lock, class Hold>
class Kept {
 public:
  template <class... Arguments>
  explicit Kept(Session& session, Arguments... arguments)
      : lock(session, "/lock", std::move(arguments)...) {}
  Lock lock;
  std::optional<Hold> hold;
};
template <class Lock, class Hold, auto kHow, int... kCount>
Task<Result<Grant>> take_hold(Session& session, LockOptions options) {
  const auto kept = std::make_shared<Kept<Lock, Hold>>(session, kCount..., std::move(options));
  Hold hold = co_await ok(kHow(kept->lock));
  kept->hold.emplace(std::move(hold));
  co_return part_of(kept, kept->hold->held());
}

Task<Result<Grant>> take_several(Session& session, LockOptions options) {
  std::vector<Path> paths;
  paths.emplace_back("/lock");
  paths.emplace_back("/other");
  MultiLock locks(session, std::move(paths), std::move(options));
  HeldLocks held = co_await ok(locks.acquire());
  const auto kept = std::make_shared<HeldLocks>(std::move(held));
  co_return part_of(kept, kept->each().front());
}

Task<Result<Grant>> take_leases(Session& session, LockOptions options) {
  Semaphore semaphore(session, "/lock", 2, std::move(options));
  HeldLocks held = co_await ok(semaphore.acquire(2));
  const auto kept = std::make_shared<HeldLocks>(std::move(held));
  co_return part_of(kept, kept->each().back());
}
Task<Result<Grant>> take_side(Session& session, LockOptions options) {
  MultiLock locks(session, LockSet().mutex("/other", options).read("/lock", options));
  HeldLocks held = co_await ok(locks.acquire());
  const auto kept = std::make_shared<HeldLocks>(std::move(held));
  co_return part_of(kept, kept->each().front());
}

// One way to take a lock.
struct Recipe {
  const char* name;
  Task<Result<Grant>> (*take)(Session&, LockOptions);
  bool takes_other_marks;
  bool can_be_revoked;
  Marks marks = kMutexMarks;
};

constexpr std::array kMemberMarks = {Mark{kMemberMark, Share::kShared}};

constexpr std::array kRecipes = {
    Recipe{"FairMutex", &take_from<FairMutex, kTake>, true, true},
    Recipe{"UnfairMutex", &take_unfair, false, false},
    Recipe{"RecursiveMutex", &take_hold<RecursiveMutex, RecursiveMutex::Hold, kTakeAsOwner>, true,
           true},
    Recipe{"Read", &take_from<ReadWriteLock, kTakeToRead>, false, true, kReadWriteMarks},
    Recipe{"Write", &take_from<ReadWriteLock, kTakeToWrite>, false, true, kReadWriteMarks},
    Recipe{"Upgraded", &take_upgraded, false, true, kReadWriteMarks},
    Recipe{"Downgraded", &take_downgraded, false, true, kReadWriteMarks},
    Recipe{"RecursiveWrite",
           &take_hold<RecursiveReadWriteLock, RecursiveReadWriteLock::Hold, kTakeToWriteAsOwner>,
           false, true, kReadWriteMarks},
    Recipe{"Semaphore", &take_from<Semaphore, kTake, 1>, false, true, kLeaseMarks},
    Recipe{"DoubleBarrier", &take_hold<DoubleBarrier, DoubleBarrier::Member, kTakePart, 1>, false,
           true, kMemberMarks},
    Recipe{"LeaderElection", &take_from<LeaderElection, kTakeTheLead>, true, true},
    Recipe{"SeveralLeases", &take_leases, false, true, kLeaseMarks},
    Recipe{"MultiLock", &take_several, true, true},
    Recipe{"MultiLockOfAnyKind", &take_side, false, true, kReadWriteMarks},
};

class LockOptionsTest : public SimulatedSessionTest, public ::testing::WithParamInterface<Recipe> {
 protected:
  Result<Grant> taken(LockOptions options) {
    Result<Grant> grant = run_and_settle(GetParam().take(*session_, std::move(options)));
    return grant;
  }
  Grant take(LockOptions options) { return must(taken(std::move(options)), "take"); }
  Grant take(LossPolicy loss) {
    LockOptions options;
    options.loss = loss;
    return take(std::move(options));
  }
};

INSTANTIATE_TEST_SUITE_P(EveryRecipe, LockOptionsTest, ::testing::ValuesIn(kRecipes),
                         [](const auto& of) { return std::string(of.param.name); });

// ----------------------------------------------------------------------------------------- loss

TEST_P(LockOptionsTest, WithOwnClockTheLockIsLostWithItsProof) {
  const Grant held = take(LossPolicy::kOwnClock);
  const TimePoint end = *held->valid_until();
  disconnect(simulation_, *session_);
  EXPECT_EQ(held->state(), LockState::kSuspect);
  simulation_.advance(end - simulation_.now());
  EXPECT_EQ(held->cause(), Error::kContactLost);
}

TEST_P(LockOptionsTest, WithSuspicionTheLockIsLostWithTheConnection) {
  const Grant held = take(LossPolicy::kOnSuspicion);
  EXPECT_EQ(held->state(), LockState::kHeld);
  disconnect(simulation_, *session_);
  EXPECT_EQ(held->cause(), Error::kContactLost);
}

TEST_P(LockOptionsTest, WithServerNoticeTheLockStaysSuspect) {
  const Grant held = take(LossPolicy::kServerNotice);
  disconnect(simulation_, *session_);
  simulation_.advance(1h);
  EXPECT_EQ(held->state(), LockState::kSuspect);
  EXPECT_EQ(held->cause(), std::nullopt);
  simulation_.expire(*session_);
  reconnect(simulation_, *session_);
  EXPECT_EQ(held->cause(), Error::kSessionExpired);
}

// ---------------------------------------------------------------------------------- the znodes

Task<Result<AclAndStat>> get_acl(Session& session, Path path) {
  co_return co_await session.get_acl(path);
}

TEST_P(LockOptionsTest, ItsZnodesHaveTheAcl) {
  LockOptions options;
  options.acl = Acl({AclEntry(permission::kAll & ~permission::kAdmin, "world", "anyone")});
  const Grant held = take(options);
  for (Path path = held->znode(); path != Path("/"); path = path.parent()) {
    const AclAndStat read = must(simulation_.run(get_acl(*session_, path)), "get_acl");
    EXPECT_EQ(read.acl, options.acl) << path.view();
  }
}

TEST_P(LockOptionsTest, ItsZnodeHasTheData) {
  const Grant held = take(LockOptions(Data("ann@host")));
  const DataAndStat read = must(simulation_.run(get_data(*session_, held->znode())), "get_data");
  EXPECT_TRUE(read.data.view().ends_with("ann@host")) << read.data.view();
}

// ---------------------------------------------------------------------------------- revocation

TEST_P(LockOptionsTest, OthersMayRevokeIt) {
  LockOptions options;
  options.revocable = true;
  options.grace = 1min;
  const Result<Grant> grant = taken(options);
  if (!GetParam().can_be_revoked) {
    EXPECT_EQ(error_of(grant), Error::kBadArguments);
    return;
  }
  const Grant& held = must(grant, "take");
  const auto other = simulation_.open("B");
  const Path queue = held->znode().parent();
  must(run_and_settle(revoke(*other, queue, GetParam().marks)), "revoke");
  EXPECT_TRUE(held->revoked_token().stop_requested());
  EXPECT_EQ(held->state(), LockState::kHeld);
  simulation_.advance(1min);
  EXPECT_EQ(held->cause(), Error::kRevoked);
  EXPECT_FALSE(simulation_.exists(held->znode()));
}

TEST_P(LockOptionsTest, AGraceWithoutEndLeavesItToItsHolder) {
  LockOptions options;
  options.revocable = true;
  options.grace = Duration::max();
  if (!GetParam().can_be_revoked) return;
  const Grant held = take(options);
  const auto other = simulation_.open("B");
  must(simulation_.run(revoke(*other, held->znode().parent(), GetParam().marks)), "revoke");
  simulation_.advance(1h);
  EXPECT_TRUE(held->revoked_token().stop_requested());
  EXPECT_EQ(held->state(), LockState::kHeld);
}

// -------------------------------------------------------------------------------- what is wrong

TEST_P(LockOptionsTest, AZeroGraceIsABadArgument) {
  LockOptions options;
  options.grace = 1min;
  EXPECT_EQ(error_of(taken(options)), Error::kBadArguments);
  EXPECT_FALSE(simulation_.exists("/lock"));
}

constexpr std::array kForeignMarks = {Mark{kLockMark, Share::kExclusive},
                                      Mark{"__lock__", Share::kExclusive}};

TEST_P(LockOptionsTest, OtherMarksAreHeededOrRefused) {
  const auto other = simulation_.open("B");
  must(simulation_.run(create(*other, "/lock")), "create");
  const Path first = "/lock/kazoo__lock__0000000000";
  must(simulation_.run(create(*other, first)), "create");
  LockOptions options;
  options.marks = kForeignMarks;
  const auto taking = start_and_settle(GetParam().take(*session_, options));
  EXPECT_EQ(taking.done(), !GetParam().takes_other_marks);
  must(simulation_.run(remove(*other, first)), "remove");
  simulation_.run_until(taking);
  const std::optional<Error> error = error_of(taking.result());
  EXPECT_EQ(error == Error::kBadArguments, !GetParam().takes_other_marks);
  EXPECT_EQ(error == std::nullopt, GetParam().takes_other_marks);
}

constexpr std::array kWithoutOurs = {Mark{"__lock__", Share::kExclusive}};
constexpr std::array kOursShared = {Mark{kLockMark, Share::kShared}};
constexpr std::array kOursTwice = {Mark{kLockMark, Share::kExclusive},
                                   Mark{kLockMark, Share::kShared}};

// Without our mark a contender would not find itself in the queue, and shared ones would not
// exclude each other.
TEST_P(LockOptionsTest, MarksWithoutOurExclusiveOneAreABadArgument) {
  for (const Marks marks : {Marks(), Marks(kWithoutOurs), Marks(kOursShared), Marks(kOursTwice)}) {
    LockOptions options;
    options.marks = marks;
    EXPECT_EQ(error_of(taken(options)), Error::kBadArguments);
    EXPECT_FALSE(simulation_.exists("/lock"));
  }
}

// ------------------------------------------------------------------------------------ blocking

class BlockingOptionsTest : public SimulatedTest {
 protected:
  static LockOptions by_servers_notice() {
    LockOptions options(Data("ann@host"));
    options.loss = LossPolicy::kServerNotice;
    return options;
  }
  // Expects that the lock is kept for longer than any other policy would.
  void expect_kept(auto& lock) {
    disconnect(simulation_, *client_.current());
    simulation_.advance(1h);
    EXPECT_EQ(lock.state(), LockState::kSuspect);
    reconnect(simulation_, *client_.current());
    EXPECT_EQ(lock.state(), LockState::kHeld);
  }

  fake::FakeClient& client_ = simulation_.client("Ann");
};

TEST_F(BlockingOptionsTest, AMutexPassesItsOptionsOn) {
  blocking::UnfairMutex mutex(client_, "/a/lock", by_servers_notice());
  mutex.lock();
  expect_kept(mutex);
  mutex.unlock();
  blocking::RecursiveMutex recursive(client_, "/b", by_servers_notice());
  recursive.lock();
  expect_kept(recursive);
  recursive.unlock();
  blocking::Mutex<Rejoining<FairMutex>> rejoining(client_, "/c", by_servers_notice());
  rejoining.lock();
  expect_kept(rejoining);
  rejoining.unlock();
}

TEST_F(BlockingOptionsTest, AReadWriteLockPassesItsOptionsOn) {
  blocking::ReadWriteLock lock(client_, "/lock", blocking::Bounds(), by_servers_notice());
  lock.lock();
  lock.downgrade();
  expect_kept(lock);
  lock.unlock_shared();
}

TEST_F(BlockingOptionsTest, ASemaphorePassesItsOptionsOn) {
  blocking::Semaphore semaphore(client_, "/lock", 1, by_servers_notice());
  semaphore.acquire();
  const std::vector<std::string> leases = children(simulation_, "/lock/leases");
  ASSERT_EQ(leases.size(), 1U);
  const fakezk::Znode* const lease = znode(simulation_, Path("/lock/leases") / leases.front());
  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(lease->data.view(), "ann@host");
  semaphore.release();
}

}  // namespace
}  // namespace lockstep
