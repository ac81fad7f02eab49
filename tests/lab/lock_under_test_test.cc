#include "lockstep/lab/lock_under_test.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/async_event.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "lockstep/lab/shared.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/sleep.h"

// Users describe their locks like this, or not at all, or wrongly.
namespace acme {

// Takes its place, but does not report its grant.
class SilentMutex {
 public:
  SilentMutex(lockstep::Session& session, const lockstep::Path& lock, lockstep::LockObserver*)
      : mutex_(session, lock) {}
  lockstep::Task<lockstep::Result<lockstep::HeldLock>> acquire() { return mutex_.acquire(); }

 private:
  lockstep::FairMutex mutex_;
};

// Never acquires.
class SorryMutex {
 public:
  SorryMutex(lockstep::Session&, const lockstep::Path&, lockstep::LockObserver*) {}
  lockstep::Task<lockstep::Result<lockstep::HeldLock>> acquire() {
    co_return lockstep::failure(lockstep::Error::kConflict);
  }
};

// Never acquires, and says so in the words of the standard library.
class SorryLock {
 public:
  SorryLock(lockstep::Client&, const lockstep::Path&, lockstep::LockObserver*) {}
  void lock() { throw std::system_error(std::make_error_code(std::errc::not_connected)); }
  bool try_lock_until(lockstep::TimePoint) {
    lock();
    return false;
  }
  void unlock() {}
};

// Every contender acquires.
class OpenDoor {
 public:
  OpenDoor(lockstep::Client&, const lockstep::Path&, lockstep::LockObserver*) {}
  void lock() {}
  bool try_lock_until(lockstep::TimePoint) { return true; }
  void unlock() {}
};

}  // namespace acme

namespace lockstep::lab {
namespace {

HuntSettings few_without_faults(ScenarioSize size = {2, 1}) {
  return {.size = size, .faults = fakezk::FaultPlan(), .executions = 300};
}

Task<void> ask(Contender& self) {
  const auto session = co_await self.client().session(Context());
  if (session) static_cast<void>(co_await (*session)->exists("/lock"));
}

// Each contender counts one visit.
LockUnderTest counting(int& visits) {
  LockUnderTest lock("visits", [&visits](Contender& self, Path, std::uint32_t) -> Task<void> {
    if (++visits > 2) self.oracles().violated("user:visits", "more visits than contenders");
    return ask(self);
  });
  return lock;
}

TEST(LockUnderTestTest, EveryExecutionStartsFromTheBeginning) {
  int visits = 0;
  LockUnderTest lock = counting(visits);
  lock.at_start = [&visits] { visits = 0; };
  const HuntReport report = hunt_lock(lock, few_without_faults());
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(LockUnderTestTest, LeftoversOfAnExecutionAreNoticed) {
  int visits = 0;
  const HuntReport report = hunt_lock(counting(visits), few_without_faults());
  EXPECT_EQ(broken(report), "misuse") << report.text();
  EXPECT_NE(report.text().find("keep something between executions"), std::string::npos);
}

TEST(LockUnderTestTest, InvariantsAreJudgedAfterEachStep) {
  LockUnderTest lock = lock_under_test<FairMutex>("fair-mutex");
  lock.invariant = [](const fakezk::World& world, search::Verdict& verdict) {
    const fakezk::Server& server = world.server();
    const auto id = server.paths().find(Path("/lock").text());
    const fakezk::Znode* const folder = id ? server.tree().find(*id) : nullptr;
    if (folder && folder->children.size() > 1) {
      verdict.report("user:two", "two wait at once", world.steps());
    }
  };
  const HuntReport report = hunt_lock(lock, few_without_faults());
  EXPECT_EQ(broken(report), "user:two");
  EXPECT_FALSE(replay_lock(report.failure->replay, lock).passed());
  // Only some orders show the violation.
  search::ExhaustiveOptions options;
  const auto program = lock.program({2, 1});
  EXPECT_TRUE(search_exhaustively(*program, options).found);
}

// No znode shows the order in which they come.
Task<void> come(Contender& self, int& last) {
  co_await ask(self);
  const int before = std::exchange(last, static_cast<int>(self.client().process().index()));
  self.note("came after " + std::to_string(before));
  if (before == 1) self.oracles().violated("user:order", "the second came before the first");
}

TEST(LockUnderTestTest, SharedMemoryCountsInAnExhaustiveSearch) {
  int last = 0;
  LockUnderTest lock("order", [&last](Contender& self, Path, std::uint32_t) -> Task<void> {
    return come(self, last);
  });
  lock.at_start = [&last] { last = 0; };
  for (const auto reduction : {search::Reduction::kSource, search::Reduction::kSleep}) {
    search::ExhaustiveOptions options;
    options.reduction = reduction;
    const auto program = lock.program({2, 1});
    EXPECT_TRUE(search_exhaustively(*program, options).found);
  }
}

TEST(LockUnderTestTest, ItsNotesAreInItsLane) {
  int last = 0;
  LockUnderTest lock("order", [&last](Contender& self, Path, std::uint32_t) -> Task<void> {
    return come(self, last);
  });
  lock.at_start = [&last] { last = 0; };
  const HuntReport report = hunt_lock(lock, few_without_faults());
  ASSERT_EQ(broken(report), "user:order");
  EXPECT_NE(report.text().find("came after 1"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, NoFailureIsShownInASmallerSceneThanAllowed) {
  LockUnderTest lock("apart", [](Contender& self, Path, std::uint32_t) -> Task<void> {
    self.oracles().violated("user:always", "in any scene");
    return ask(self);
  });
  EXPECT_EQ(hunt_lock(lock, few_without_faults({3, 2})).failure->clients, 1U);
  lock.least = {2, 2};
  const HuntReport report = hunt_lock(lock, few_without_faults({3, 2}));
  EXPECT_EQ(report.failure->clients, 2U);
  EXPECT_EQ(report.failure->rounds, 2U);
  const HuntReport large = hunt_lock(lock, few_without_faults({9, 2}));
  EXPECT_EQ(large.failure->clients, 2U);
  EXPECT_EQ(large.failure->rounds, 2U);
}

// The first run leaves a mark, and goes on in a task of its own. The second one waits forever.
Task<void> work_beside(Contender& self, std::shared_ptr<Session> session) {
  static_cast<void>(co_await session->create("/done", Data(), CreateMode::kPersistent));
  static_cast<void>(co_await sleep_for(self.client().executor(), std::chrono::seconds(10)));
}
Task<void> wait_after_a_crash(Contender& self, Path, std::uint32_t) {
  auto session = co_await self.client().session(Context());
  if (!session) co_return;
  const auto done = co_await (*session)->exists("/done");
  if (done) {
    AsyncEvent never(self.client().executor());
    static_cast<void>(co_await never.wait());
  }
  self.client().process().tasks().spawn(work_beside(self, *session));
}

TEST(LockUnderTestTest, AContenderThatBeginsAgainHasNotFinished) {
  HuntSettings settings{.size = {1, 1}, .faults = faults_called("crash", 1)};
  const LockUnderTest lock("crashes", &wait_after_a_crash);
  EXPECT_EQ(broken(hunt_lock(lock, settings)), "L1");
}

// The kinds of faults that a hunt caps stay capped where its finding is shown.
TEST(LockUnderTestTest, AShrunkFailureKeepsTheCapsOfItsFaults) {
  LockUnderTest lock = lock_under_test<FairMutex>("capped");
  lock.check_at_end = [](const fakezk::World& world, search::Verdict& verdict) {
    if (world.faults_injected() >= 2) verdict.report("user:two", "two faults", world.steps());
  };
  HuntSettings settings{.size = {2, 1}, .faults = faults_called("expiry:1,clock-drift:1", 2)};
  const HuntReport report = hunt_lock(lock, settings);
  ASSERT_EQ(broken(report), "user:two");
  EXPECT_EQ(report.failure->faults.most(fakezk::FaultKind::kExpiry), 1U);
  EXPECT_EQ(report.failure->faults.most(fakezk::FaultKind::kClockDrift), 1U);
}

TEST(LockUnderTestTest, GrantsThatAreNotReportedAreMisuse) {
  const HuntReport report =
      hunt_lock(lock_under_test<acme::SilentMutex>("silent"), few_without_faults());
  EXPECT_EQ(broken(report), "misuse");
  EXPECT_NE(report.text().find("LockObserver"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, TheReportSaysThatThereWasNothingToJudge) {
  const Contend only_ask = [](Contender& self, Path, std::uint32_t) -> Task<void> {
    return ask(self);
  };
  const HuntReport report = hunt_lock(LockUnderTest("nothing", only_ask), few_without_faults());
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_NE(report.text().find("Judged nothing: S1 (no grant was reported)"), std::string::npos)
      << report.text();
}

TEST(LockUnderTestTest, ALockThatIsNeverAcquiredIsMisuse) {
  const HuntReport report =
      hunt_lock(lock_under_test<acme::SorryMutex>("sorry"), few_without_faults());
  EXPECT_EQ(broken(report), "misuse");
  EXPECT_NE(report.text().find("every acquire has failed"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, ABlockingLockThatIsNeverAcquiredIsMisuse) {
  const HuntReport report =
      hunt_lock(blocking_lock_under_test<acme::SorryLock>("sorry"), few_without_faults());
  EXPECT_EQ(broken(report), "misuse");
  EXPECT_NE(report.text().find("every acquire has failed"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, ContendersThatMayShareMemoryAreNotIsolated) {
  const LockUnderTest usual = lock_under_test<FairMutex>("fair-mutex");
  EXPECT_TRUE(usual.program({2, 1})->isolated());
  LockUnderTest reset = usual;
  reset.at_start = [] {};
  EXPECT_FALSE(reset.program({2, 1})->isolated());
  LockUnderTest replaced = usual;
  replaced.contend = [](Contender& self, Path lock, std::uint32_t rounds) {
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  };
  EXPECT_FALSE(replaced.program({2, 1})->isolated());
  LockUnderTest blocking = blocking_lock_under_test<blocking::FairMutex>("fair-mutex");
  EXPECT_TRUE(blocking.program({2, 1})->isolated());
  blocking.contend = replaced.contend;
  EXPECT_FALSE(blocking.program({2, 1})->isolated());
}

TEST(LockUnderTestTest, SharedMemoryOfIsolatedContendersIsMisuse) {
  Shared<int> visits("visits", 0);
  LockUnderTest lock("counts", [&](Contender& self, Path, std::uint32_t) -> Task<void> {
    visits.write(self, visits.read(self) + 1);
    return ask(self);
  });
  EXPECT_TRUE(hunt_lock(lock, few_without_faults()).passed());
  lock.isolated = true;
  const HuntReport report = hunt_lock(lock, few_without_faults());
  EXPECT_EQ(broken(report), "misuse");
  EXPECT_NE(report.text().find("LockUnderTest::isolated"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, ABlockingLockWithoutExclusionIsCaughtWithoutItsReports) {
  HuntSettings settings = few_without_faults();
  EXPECT_EQ(broken(hunt_lock(blocking_lock_under_test<acme::OpenDoor>("door"), settings)), "S2");
  settings.faults = fakezk::FaultPlan::all(2);
  settings.executions = 2'000;
  const HuntReport sound =
      hunt_lock(blocking_lock_under_test<blocking::FairMutex>("fair-mutex"), settings);
  EXPECT_TRUE(sound.passed()) << sound.text();
}

// A contender that waits for an event that never comes, and has not reported its acquire.
Task<void> wait_behind(Contender& self, Path lock) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  const Path prefix = lock / "x-lock-";
  static_cast<void>(co_await (*session)->create(prefix, Data(), CreateMode::kEphemeralSequential));
  const auto watched = co_await (*session)->exists_watched(lock / "never");
  if (watched) static_cast<void>(co_await watched->watch.fired());
}

TEST(LockUnderTestTest, AContenderThatWaitsForEverLeavesNoOrphan) {
  const LockUnderTest lock("waits", [](Contender& self, Path path, std::uint32_t) -> Task<void> {
    return wait_behind(self, std::move(path));
  });
  const HuntReport report = hunt_lock(lock, few_without_faults());
  EXPECT_EQ(broken(report), "L1") << report.text();
  EXPECT_NE(report.text().find("/lock/never"), std::string::npos) << report.text();
}

TEST(LockUnderTestTest, ItsRegressionTestNamesItsParts) {
  EXPECT_EQ(source_of(lock_under_test<acme::SilentMutex>("x")).code,
            "lockstep::lab::lock_under_test<acme::SilentMutex>(\"x\")");
  EXPECT_EQ(source_of(lock_under_test<acme::SilentMutex>("x"), "Other").code,
            "lockstep::lab::lock_under_test<Other>(\"x\")");
  const LockSource blocking = source_of(blocking_lock_under_test<acme::OpenDoor>("x"));
  EXPECT_EQ(blocking.code, "lockstep::lab::blocking_lock_under_test<acme::OpenDoor>(\"x\")");
  EXPECT_EQ(blocking.include, "lockstep/lab/blocking_scenario.h");
  const LockSource guessed = source_of(LockUnderTest("my-mutex", &contend_for<FairMutex>));
  EXPECT_EQ(guessed.code, "&lockstep::lab::contend_for<MyMutex>");
  EXPECT_NE(guessed.note, "");
}

// A test that replays under other rules would prove nothing.
TEST(LockUnderTestTest, PartsWithoutCodeAreLeftToFillIn) {
  LockUnderTest lock = lock_under_test<FairMutex>("x");
  lock.last = LastContender::kPatient;
  EXPECT_EQ(source_of(lock).code, "lock_under_test()");
  EXPECT_NE(source_of(lock).note, "");
  lock.source = "make_lock()";
  EXPECT_EQ(source_of(lock).code, "make_lock()");
  EXPECT_EQ(source_of(lock).note, "");
  LockUnderTest rules = lock_under_test<FairMutex>("x");
  rules.rules = judge::semaphore_rules(2);
  EXPECT_EQ(source_of(rules).code, "lock_under_test()");
  LockUnderTest guarded = lock_under_test<FairMutex>("x");
  guarded.sessions.default_acl = Acl::creator_only();
  EXPECT_EQ(source_of(guarded).code, "lock_under_test()");
  LockUnderTest tickets("tickets", &contend_for<FairMutex>);
  tickets.at_start = [] {};
  EXPECT_EQ(source_of(tickets).code, "lock_under_test()");
  EXPECT_EQ(source_of(tickets).note,
            "// Replace lock_under_test(): the LockUnderTest 'tickets' that was hunted.");
}

TEST(LockUnderTestTest, NamesAreOneWord) {
  for (const char* const name : {"", "a/b", "a b", "a\nb", "a\"b", "a\\b", "100%"}) {
    EXPECT_THROW(
        static_cast<void>(hunt_lock(lock_under_test<FairMutex>(name), few_without_faults())),
        std::invalid_argument)
        << name;
  }
  EXPECT_TRUE(
      hunt_lock(lock_under_test<FairMutex>("Fair_Mutex-2.0+x"), few_without_faults()).passed());
}

TEST(LockUnderTestTest, ALockThatCannotBeHuntedIsRefused) {
  const LockUnderTest lock = lock_under_test<FairMutex>("fair-mutex");
  for (const ScenarioSize size : {ScenarioSize{0, 1}, ScenarioSize{2, 0}, ScenarioSize{65, 1},
                                  ScenarioSize{2, 101}, ScenarioSize{64, 100}}) {
    EXPECT_THROW(static_cast<void>(hunt_lock(lock, few_without_faults(size))),
                 std::invalid_argument);
  }
  HuntSettings settings = few_without_faults();
  settings.executions = 0;
  EXPECT_THROW(static_cast<void>(hunt_lock(lock, settings)), std::invalid_argument);
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    settings = few_without_faults();
    settings.seconds = seconds;
    EXPECT_THROW(static_cast<void>(hunt_lock(lock, settings)), std::invalid_argument);
  }
  LockUnderTest nobody("nobody", nullptr);
  EXPECT_THROW(static_cast<void>(hunt_lock(nobody, few_without_faults())), std::invalid_argument);
  LockUnderTest nowhere = lock;
  nowhere.replicas = 0;
  EXPECT_THROW(static_cast<void>(hunt_lock(nowhere, few_without_faults())), std::invalid_argument);
  for (const Duration tick : {Duration::zero(), Duration(-1)}) {
    LockUnderTest timeless = lock;
    timeless.tick_time = tick;
    EXPECT_THROW(static_cast<void>(hunt_lock(timeless, few_without_faults())),
                 std::invalid_argument);
  }
  LockUnderTest pair = lock;
  pair.least = {3, 1};
  EXPECT_THROW(static_cast<void>(hunt_lock(pair, few_without_faults({2, 1}))),
               std::invalid_argument);
}

TEST(LockUnderTestTest, AnotherLocksReplayStringIsAnError) {
  const HuntReport report =
      hunt_lock(lock_under_test<acme::SorryMutex>("sorry"), few_without_faults());
  const ReplayReport replayed =
      replay_lock(report.failure->replay, lock_under_test<acme::SorryMutex>("other"));
  EXPECT_NE(replayed.error, "");
  EXPECT_FALSE(replayed.passed());
}

}  // namespace
}  // namespace lockstep::lab
