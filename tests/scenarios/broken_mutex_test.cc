// Broken mutexes, each found by its oracle.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/search/hunt.h"
#include "lockstep/sequence.h"
#include "lockstep/take_place.h"
#include "lockstep/turn.h"
#include "scenarios/assembled_mutex.h"
#include "scenarios/registry.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

using Contend = lab::LockScenario::Contend;

std::string calm_verdict(Contend contend, std::uint32_t steps = 2'000) {
  lab::LockScenario scenario(scenarios::contention(contend), lab::ScenarioSize{2, 1});
  World world(scenario.servers());
  Calm calm;
  search::ExecutionLimits limits;
  limits.steps = steps;
  const search::Outcome outcome = execute(world, scenario, calm, limits);
  return outcome.violation ? outcome.violation->oracle : "";
}

std::string hunted_verdict(Contend contend, FaultKind fault) {
  search::HuntOptions options;
  options.limits.faults.allow(fault);
  options.limits.faults.set_total(2);
  options.executions = 2'000;
  options.make_program = [contend] {
    return std::make_unique<lab::LockScenario>(
        scenarios::contention(contend, lab::LastContender::kImpatient), lab::ScenarioSize{3, 1});
  };
  options.make_strategy = &search::make_random_walk;
  search::OneByOne one_by_one;
  const search::HuntResult result = hunt(options, one_by_one);
  return result.found ? result.found->outcome.violation->oracle : "";
}

Task<Result<Zxid>> do_not_wait(Session& session, Path lock, Path, LockObserver*, Context context) {
  const Children queue = co_await ok(session.get_children(lock, context));
  co_return queue.parent().pzxid;
}
using Greedy = scenarios::AssembledMutex<&scenarios::sound_create, &do_not_wait>;

TEST(BrokenMutexTest, GrantWithoutWaitingBreaksS1) {
  EXPECT_EQ(hunted_verdict(&lab::contend_for<Greedy>, FaultKind::kTimer), "S1");
}

// Like FairMutex, but nothing deletes the place of a contender that gives up.
class Litterer {
 public:
  Litterer(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context) {
    const Created ours = co_await ok(
        scenarios::sound_create(session_, lock_, std::string(kLockMark), Data(), Context()));
    const Zxid evidence = co_await ok(
        scenarios::sound_wait(session_, lock_, ours.path, observer_, std::move(context)));
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
    co_return HeldLock(session_, std::move(grant), observer_);
  }

 private:
  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

TEST(BrokenMutexTest, PlaceLeftInTheQueueBreaksS5) {
  EXPECT_EQ(hunted_verdict(&lab::contend_for<Litterer>, FaultKind::kTimer), "S5");
}

// Deletes the places in front of its own.
Task<Result<Zxid>> push_aside(Session& session, Path lock, Path ours, LockObserver*,
                              Context context) {
  for (;;) {
    const Children queue = co_await ok(session.get_children(lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    static_cast<void>(co_await session.remove(lock / position.predecessor));
  }
}
using Pusher = scenarios::AssembledMutex<&scenarios::sound_create, &push_aside>;

TEST(BrokenMutexTest, DeletingThePredecessorBreaksS4) {
  EXPECT_EQ(hunted_verdict(&lab::contend_for<Pusher>, FaultKind::kTimer), "S4");
}

Task<void> acquire_and_keep(lab::Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  self.oracles().acquiring((*session)->id(), self.client().process().index());
  FairMutex mutex(**session, lock, &self.oracles());
  Result<HeldLock> held = co_await mutex.acquire();
  const Result<Watch> never = co_await watch_exists(**session, "/never");
  static_cast<void>(co_await never->fired());
}

TEST(BrokenMutexTest, LockThatIsNeverReleasedBreaksL1) {
  EXPECT_EQ(calm_verdict(&acquire_and_keep), "L1");
}

Task<void> throw_when_granted(lab::Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  FairMutex mutex(**session, lock, &self.oracles());
  const Result<HeldLock> held = co_await mutex.acquire();
  if (held) throw std::runtime_error("in the critical section");
}
Task<void> throw_at_once(lab::Contender&, Path, std::uint32_t) {
  throw std::runtime_error("at once");
  co_return;
}

TEST(BrokenMutexTest, TaskThatThrowsIsACrash) {
  EXPECT_EQ(calm_verdict(&throw_when_granted), "crash");
  EXPECT_EQ(calm_verdict(&throw_at_once), "crash");
}

Task<void> poll_for_ever(lab::Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  for (;;) static_cast<void>(co_await (*session)->get_children(lock));
}

TEST(BrokenMutexTest, TaskThatNeverStopsAskingIsALivelock) {
  EXPECT_EQ(calm_verdict(&poll_for_ever), "livelock");
}

TEST(BrokenMutexTest, SoundMutexBreaksNothing) {
  for (const FaultKind fault :
       {FaultKind::kCut, FaultKind::kExpiry, FaultKind::kKillSession, FaultKind::kTimer}) {
    EXPECT_EQ(hunted_verdict(&lab::contend_for<FairMutex>, fault), "");
  }
}

}  // namespace
}  // namespace lockstep::fakezk
