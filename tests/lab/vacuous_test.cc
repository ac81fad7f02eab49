// A hunt reports that it has judged nothing, or not what its user thinks.
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/gtest.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep::lab {
namespace {

Task<void> ask(Session& session) { static_cast<void>(co_await session.exists("/lock")); }

Task<void> fail_later(Session& session) {
  co_await ask(session);
  throw std::runtime_error("out of a task set");
}

Task<void> spawn_and_ask(Contender& self, TaskSet& tasks) {
  const auto session = co_await self.client().session(Context());
  tasks.spawn(fail_later(**session));
  co_await ask(**session);
  co_await ask(**session);
}

Task<void> keep_to_oneself(Contender& self, Path, std::uint32_t) {
  TaskSet tasks;
  co_await spawn_and_ask(self, tasks);
}

Task<void> look_at_it(Contender& self, Path, std::uint32_t) {
  std::exception_ptr thrown;
  TaskSet tasks(thrown);
  co_await spawn_and_ask(self, tasks);
  if (!thrown) self.oracles().violated("user:seen", "there was no exception");
}

TEST(VacuousTest, AnExceptionInATaskSetOfTheCodeUnderTestIsACrash) {
  const HuntReport report = hunt_lock(LockUnderTest("tasks", &keep_to_oneself), calm_hunt());
  EXPECT_EQ(broken(report), "crash") << report.text();
  EXPECT_NE(report.text().find("out of a task set"), std::string::npos) << report.text();
}

TEST(VacuousTest, AnExceptionThatTheOwnerLooksAtIsNoCrash) {
  const HuntReport report = hunt_lock(LockUnderTest("tasks", &look_at_it), calm_hunt());
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(VacuousTest, TheReportSaysThatContendersHaveDoneNothing) {
  const Contend idle = [](Contender&, Path, std::uint32_t) -> Task<void> { co_return; };
  const HuntReport report = hunt_lock(LockUnderTest("idle", idle), calm_hunt());
  EXPECT_NE(report.text().find("No contender has sent a request."), std::string::npos)
      << report.text();
}

Task<void> only_ask(Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  co_await ask(**session);
}

TEST(VacuousTest, TheReportSaysFirstThatExclusionWasNotJudged) {
  HuntSettings settings = calm_hunt();
  const LockUnderTest lock("nothing", &only_ask);
  const std::string hunted = hunt_lock(lock, settings).text();
  EXPECT_EQ(hunted.find("nothing: no violation, exclusion NOT judged in 300 executions\n"), 0U)
      << hunted;
  EXPECT_NE(hunted.find("Exclusion was not judged: no grant was reported"), hunted.npos) << hunted;
  settings.strategy = HuntSettings::kExhaustive;
  settings.executions.reset();
  const std::string searched = hunt_lock(lock, settings).text();
  EXPECT_NE(searched.find(", no violation, exclusion NOT judged ("), searched.npos) << searched;
  EXPECT_NE(searched.find("Exclusion was not judged"), searched.npos) << searched;
}

TEST(VacuousTest, AnExhaustiveSearchCountsWhatItJudgesForAnyNumberOfJobs) {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  lock.isolated = true;
  HuntSettings settings = calm_hunt();
  settings.strategy = HuntSettings::kExhaustive;
  settings.executions.reset();
  settings.faults.allow(fakezk::FaultKind::kCut);
  settings.faults.set_total(1);
  const HuntReport one = hunt_lock(lock, settings);
  EXPECT_TRUE(one.passed()) << one.text();
  EXPECT_GE(one.judged.of(search::Oracle::kS1), one.exhaustive->traces);
  EXPECT_EQ(one.judged.of(search::Oracle::kL3), 0U);
  EXPECT_NE(one.text().find("Judged: S1 "), std::string::npos) << one.text();
  settings.jobs = 2;
  EXPECT_EQ(hunt_lock(lock, settings).judged, one.judged);
}

TEST(VacuousTest, AWakeThatGivesTheLockIsJudgedByL3) {
  const HuntReport report =
      hunt_lock(LockUnderTest("fair-mutex", &contend_briefly_for<FairMutex>), calm_hunt());
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.judged.of(search::Oracle::kL3), 100U) << report.text();
}

// Without a fault, each pair of grants is judged by both.
TEST(VacuousTest, AWaivedJudgementIsNotCounted) {
  const LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  HuntSettings settings = calm_hunt();
  const HuntReport calm = hunt_lock(lock, settings);
  EXPECT_EQ(calm.judged.of(search::Oracle::kS2), calm.judged.of(search::Oracle::kL2));
  settings.faults.allow(fakezk::FaultKind::kKillSession);
  settings.faults.set_total(1);
  const HuntReport disturbed = hunt_lock(lock, settings);
  EXPECT_LT(disturbed.judged.of(search::Oracle::kS2), disturbed.judged.of(search::Oracle::kL2));
}

// Leaves a znode behind, whether or not it reports the end of its acquire.
template <bool kResolves>
Task<void> leave_a_place(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  const SessionId id = (*session)->id();
  self.oracles().acquiring(id, self.client().process().index());
  Path place(lock.string() + "/a-lock-");
  static_cast<void>(
      co_await (*session)->create(std::move(place), Data(), CreateMode::kEphemeralSequential));
  if constexpr (kResolves) self.oracles().resolved(id);
}

TEST(VacuousTest, AnAcquireWithoutAnEndIsMisuseAndExcusesNoOrphan) {
  const HuntReport open = hunt_lock(LockUnderTest("open", &leave_a_place<false>), calm_hunt());
  EXPECT_EQ(broken(open), "misuse") << open.text();
  EXPECT_NE(open.text().find("an acquire of A was reported by acquiring() and never by resolved()"),
            std::string::npos)
      << open.text();
  EXPECT_EQ(open.judged.of(search::Oracle::kS5), 0U);
  const HuntReport resolved =
      hunt_lock(LockUnderTest("resolved", &leave_a_place<true>), calm_hunt());
  EXPECT_EQ(broken(resolved), "S5") << resolved.text();
}

// Reports a sound lock's grant with a changed record.
class Misreporting final : public LockObserver {
 public:
  using Change = void (*)(GrantRecord&);
  Misreporting(LockObserver& told, Change change) : told_(told), change_(change) {}
  void granted(const GrantRecord& grant) override {
    GrantRecord changed = grant;
    change_(changed);
    told_.granted(changed);
  }

 private:
  LockObserver& told_;
  Change change_;
};

template <Misreporting::Change kChange>
Task<void> misreport(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  Misreporting observer(self.oracles(), kChange);
  FairMutex mutex(**session, lock, &observer);
  Result<HeldLock> held = co_await mutex.acquire();
  if (held) static_cast<void>(co_await held->release());
}

void another_lock(GrantRecord& grant) { grant.lock = Path("/loc"); }
void shared(GrantRecord& grant) { grant.share = Share::kShared; }
void of_the_future(GrantRecord& grant) { grant.evidence += 1'000; }
void of_the_past(GrantRecord& grant) { grant.evidence = 1; }
void another_session(GrantRecord& grant) { ++grant.session; }

template <Misreporting::Change kChange>
HuntReport misreported() {
  return hunt_lock(LockUnderTest("misreported", &misreport<kChange>), calm_hunt());
}

void limited_by_the_servers(GrantRecord& grant) { grant.loss = LossPolicy::kServerNotice; }

// S1 judges such grants. S2 does not, unless their holders enter Contender::resource().
TEST(VacuousTest, AnAssertionSaysWhichJudgeOfExclusionHadNothingToJudge) {
  const LockUnderTest half("half", &misreport<&limited_by_the_servers>);
  testing::internal::CaptureStdout();
  EXPECT_NO_VIOLATION(half, calm_hunt());
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_EQ(said, "half: S2 judged nothing (" +
                      std::string(search::facts(search::Oracle::kS2).idle_because) + ").\n");
  testing::internal::CaptureStdout();
  EXPECT_NO_VIOLATION(LockUnderTest("whole", &contend_for<FairMutex>), calm_hunt());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(VacuousTest, AGrantWithAWrongRecordIsAViolation) {
  EXPECT_EQ(broken(misreported<&another_lock>()), "misuse");
  EXPECT_EQ(broken(misreported<&shared>()), "misuse");
  EXPECT_EQ(broken(misreported<&of_the_future>()), "misuse");
  EXPECT_EQ(broken(misreported<&of_the_past>()), "S1");
  EXPECT_EQ(broken(misreported<&another_session>()), "S1");
}

Task<void> pass_once(Contender& self, Path znode, LockObserver* observer) {
  const auto session = co_await self.client().session(Context());
  UnfairMutex mutex(**session, std::move(znode), observer);
  Result<HeldLock> held = co_await mutex.acquire();
  self.tried(held);
  if (held) static_cast<void>(co_await held->release());
}

Task<void> pass_unobserved_at_last(Contender& self, Path lock, std::uint32_t) {
  const Path znode = lock / "only";
  co_await pass_once(self, znode, &self.oracles());
  co_await pass_once(self, znode, nullptr);
}

// The znode of both grants has the same name.
TEST(VacuousTest, AnUnreportedGrantOfAnEarlierNameIsMisuse) {
  LockUnderTest lock("silent", &pass_unobserved_at_last);
  lock.rules = judge::single_rules("only");
  EXPECT_EQ(broken(hunt_lock(lock, calm_hunt())), "misuse");
}

}  // namespace
}  // namespace lockstep::lab
