#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/ok.h"
#include "lockstep/place.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/sequence.h"
#include "lockstep/sleep.h"
#include "lockstep/take_place.h"

// Locks that fail when a client holds them for long, written and hunted as users do.
namespace lockstep::lab {
namespace {

// ZooKeeper's recipe, except for its reaction when a contender in front takes long.
class Impatience {
 public:
  Impatience(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

 protected:
  Task<Result<Created>> queue_up(Context context) {
    const Data data;
    const Acl acl;
    co_return co_await take_place(session_, lock_, "x-lock-", data, acl, context);
  }
  // The nearest contender in front, with a watch on it, if any.
  struct Ahead {
    std::optional<Path> znode;
    std::optional<Watch> watch;
    Zxid evidence = 0;
  };
  Task<Result<Ahead>> look(Path ours, Context context) {
    for (;;) {
      const Children queue = co_await ok(session_.get_children(lock_, context));
      const auto position = position_of(ours.name(), "x-lock-", queue);
      if (!position) co_return failure(Error::kNoNode);
      Ahead ahead;
      ahead.evidence = queue.parent().pzxid;
      if (position->ahead == 0) co_return std::move(ahead);
      if (observer_) observer_->waiting(session_.id(), ours, position->ahead);
      ahead.znode = lock_ / position->predecessor;
      auto there = co_await ok(session_.exists_watched(*ahead.znode, context));
      if (!there.value) continue;
      ahead.watch = std::move(there.watch);
      co_return std::move(ahead);
    }
  }
  HeldLock hold(const Created& ours, Zxid evidence) {
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
    return HeldLock(session_, std::move(grant), observer_);
  }

  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

// Each wake restarts the whole timeout (textbook-e-timeout).
class RestartingMutex : Impatience {
 public:
  using Impatience::Impatience;

  Task<Result<HeldLock>> acquire(Context patience) {
    const Created ours = co_await ok(queue_up(patience));
    Place place(session_, ours.path);
    const auto whole = patience.deadline() ? std::optional(std::chrono::seconds(1)) : std::nullopt;
    for (;;) {
      Context context = patience;
      if (whole) context = Context(session_.executor().now() + *whole);
      Ahead ahead = co_await ok(look(ours.path, context));
      if (ahead.watch) {
        co_await ok(ahead.watch->fired(context));
        continue;
      }
      place.granted();
      co_return hold(ours, ahead.evidence);
    }
  }
};

// A contender that has waited for three seconds assumes that the one in front is dead.
class StealingMutex : Impatience {
 public:
  using Impatience::Impatience;

  Task<Result<HeldLock>> acquire() {
    const Created ours = co_await ok(queue_up(Context()));
    Place place(session_, ours.path);
    for (;;) {
      Ahead ahead = co_await ok(look(ours.path, Context()));
      if (ahead.watch) {
        const Context patience(session_.executor().now() + std::chrono::seconds(3));
        const auto fired = co_await ahead.watch->fired(patience);
        const bool late = !fired && fired.error() == Error::kTimedOut;
        if (late) static_cast<void>(co_await session_.remove(*ahead.znode));
        continue;
      }
      place.granted();
      co_return hold(ours, ahead.evidence);
    }
  }
};

TEST(HoldingTest, ALockThatRestartsItsTimeoutsIsFound) {
  const HuntReport report = hunt_lock(lock_under_test<RestartingMutex>("restarting-mutex"));
  EXPECT_EQ(broken(report), "L4") << report.text();
}

Task<void> arrive_late(Contender& self) {
  const Duration late = self.holding_time();
  static_cast<void>(co_await sleep_for(self.client().executor(), late));
}

// No fault is needed: only the time that its holder takes shows the flaw.
TEST(HoldingTest, ALockThatIsTakenFromASlowHolderIsFound) {
  HuntSettings settings{.faults = fakezk::FaultPlan()};
  const HuntReport report = hunt_lock("stealing-mutex", &contend_for<StealingMutex>, settings);
  EXPECT_EQ(broken(report), "S4") << report.text();
  EXPECT_TRUE(hunt_lock("stealing-mutex", &contend_briefly_for<StealingMutex>, settings).passed());
}

// The search tries every holding time, whichever orders the reduction leaves out.
TEST(HoldingTest, AnExhaustiveSearchTriesEachTime) {
  for (const auto reduction : {search::Reduction::kSource, search::Reduction::kSleep}) {
    search::ExhaustiveOptions options;
    options.reduction = reduction;
    const auto program = lock_under_test<StealingMutex>("stealing-mutex").program({2, 1});
    const auto found = search_exhaustively(*program, options).found;
    ASSERT_TRUE(found);
    EXPECT_EQ(found->outcome.violation->oracle, "S4");
  }
}

// Nothing is chosen before the first step: a search would take zero for the only time.
TEST(HoldingTest, AHoldingTimeBeforeTheFirstRequestIsMisuse) {
  const LockUnderTest lock(
      "late", [](Contender& self, Path, std::uint32_t) -> Task<void> { return arrive_late(self); });
  EXPECT_EQ(broken(hunt_lock(lock, calm_hunt())), "misuse");
}

TEST(HoldingTest, ALongHoldExcludesTheOthers) {
  const HuntReport fair = hunt_lock(lock_under_test<FairMutex>("fair-mutex"));
  EXPECT_TRUE(fair.passed()) << fair.text();
  const HuntReport blocking =
      hunt_lock(blocking_lock_under_test<blocking::FairMutex>("fair-mutex"));
  EXPECT_TRUE(blocking.passed()) << blocking.text();
}

}  // namespace
}  // namespace lockstep::lab
