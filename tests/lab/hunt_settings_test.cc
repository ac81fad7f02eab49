#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/words.h"
#include "lockstep/search/schedule.h"
#include "variable.h"

// How a hunt searches, according to its settings and the environment.
namespace lockstep::lab {
namespace {

using unit::Variable;

HuntSettings small() { return calm_hunt(10'000); }

LockUnderTest brief_mutex() {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  lock.isolated = true;
  return lock;
}

std::string refusal(const HuntSettings& settings) {
  try {
    static_cast<void>(hunt_lock(brief_mutex(), settings));
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

std::string refusal_of_environment() {
  try {
    static_cast<void>(small().with_environment());
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

TEST(HuntSettingsTest, EveryStrategyFindsAnEasyBug) {
  for (const search::StrategyName& strategy : search::strategies()) {
    HuntSettings settings = small();
    settings.strategy = strategy.name;
    const HuntReport report = hunt_lock("no-lock", &walk_in, settings);
    EXPECT_FALSE(report.passed()) << strategy.name;
  }
}

// The number of steps of each execution shows the strategy: all but the first execution differ.
TEST(HuntSettingsTest, StrategiesDiffer) {
  std::set<std::uint64_t> found;
  for (const char* const strategy : {"random", "delay", "urw", "pct", "pos"}) {
    HuntSettings settings{.strategy = strategy};
    LockUnderTest rare("rare", [](Contender& self, Path lock, std::uint32_t rounds) {
      return contend_for<FairMutex>(self, std::move(lock), rounds);
    });
    rare.check_at_end = [](const fakezk::World& world, search::Verdict& verdict) {
      if (world.steps() % 37 == 5) verdict.report("user:rare", "a rare length", world.steps());
    };
    const HuntReport report = hunt_lock(rare, settings);
    if (!report.passed()) found.insert(report.executions);
  }
  EXPECT_GT(found.size(), 2U);
}

TEST(HuntSettingsTest, AnExhaustiveSearchReportsHowFarItHasCome) {
  HuntSettings settings = small();
  settings.strategy = "exhaustive";
  const HuntReport all = hunt_lock(brief_mutex(), settings);
  ASSERT_TRUE(all.passed()) << all.text();
  EXPECT_TRUE(all.exhaustive->exhausted);
  EXPECT_GT(all.exhaustive->traces, 1U);
  EXPECT_NE(all.text().find("fair-mutex: exhausted: "), std::string::npos) << all.text();
  settings.reduction = "none";
  EXPECT_GT(hunt_lock(brief_mutex(), settings).exhaustive->traces, all.exhaustive->traces);
  settings.executions = 3;
  const HuntReport some = hunt_lock(brief_mutex(), settings);
  EXPECT_EQ(some.executions, 3U);
  EXPECT_EQ(some.text().find("fair-mutex: NOT exhausted: "), 0U) << some.text();
  EXPECT_NE(some.text().find("; stopped by count within fault budget 0 of 0"), std::string::npos)
      << some.text();
}

// A replica that lags takes a second one.
TEST(HuntSettingsTest, AnExhaustiveSearchOfFaultsThatCannotStrikeIsExhausted) {
  HuntSettings settings{
      .size = {2, 1}, .faults = faults_called("lag", 2), .strategy = "exhaustive"};
  for (const char* const reduction : {"sleep", "source"}) {
    settings.reduction = reduction;
    const HuntReport report = hunt_lock(brief_mutex(), settings);
    EXPECT_EQ(report.stopped_by, StoppedBy::kExhaustion) << report.text();
    EXPECT_EQ(report.exhaustive->fault_budget, 2U) << reduction;
    EXPECT_GT(report.exhaustive->traces, 1U) << reduction;
  }
}

// A search of half a second, with more executions than the default of other hunts.
HuntSettings large_search() {
  HuntSettings settings{.size = {2, 1}, .faults = fakezk::FaultPlan()};
  EXPECT_EQ(search::parse_fault_kinds("cut,timer,late-apply", settings.faults), "");
  settings.faults.set_total(2);
  return settings;
}

TEST(HuntSettingsTest, AnExhaustiveSearchHasNoBoundByDefault) {
  const Variable strategy("LOCKSTEP_STRATEGY", "exhaustive");
  const HuntReport all = hunt_lock(brief_mutex(), large_search().with_environment());
  EXPECT_TRUE(all.exhaustive->exhausted) << all.text();
  EXPECT_GT(all.executions, HuntSettings::kUsualExecutions);
  const Variable executions("LOCKSTEP_EXECUTIONS", "100");
  const HuntReport some = hunt_lock(brief_mutex(), large_search().with_environment());
  EXPECT_EQ(some.executions, 100U);
  EXPECT_NE(some.text().find("LOCKSTEP_EXECUTIONS or HuntSettings::executions allows more"),
            std::string::npos)
      << some.text();
}

TEST(HuntSettingsTest, AnExhaustiveSearchReportsThatItsTimeWasOver) {
  HuntSettings settings = large_search();
  settings.strategy = "exhaustive";
  settings.seconds = 0.001;
  const HuntReport report = hunt_lock(brief_mutex(), settings);
  EXPECT_NE(report.text().find("; stopped by time within fault budget "), std::string::npos)
      << report.text();
  EXPECT_NE(report.text().find("HuntSettings::seconds"), std::string::npos) << report.text();
}

TEST(HuntSettingsTest, OtherHuntsHaveTheDefaultNumberOfExecutions) {
  HuntSettings settings;
  EXPECT_EQ(settings.most_executions(), HuntSettings::kUsualExecutions);
  settings.executions = 7;
  EXPECT_EQ(settings.most_executions(), 7U);
}

// A asks until B gets a turn.
int has_told = 0;
Task<void> ask_until_told(Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
  if (self.client().name() == "B") has_told = 1;
  while (has_told == 0) static_cast<void>(co_await (*session)->sync("/"));
}

TEST(HuntSettingsTest, AnExhaustiveSearchReportsWhatItHasCutShort) {
  LockUnderTest lock("unfair", &ask_until_told);
  lock.at_start = [] { has_told = 0; };
  HuntSettings settings = small();
  settings.strategy = "exhaustive";
  settings.executions = 500;
  const HuntReport report = hunt_lock(lock, settings);
  EXPECT_TRUE(report.passed()) << report.text();
  const std::string text = report.text();
  EXPECT_NE(text.find(" cut short: after "), text.npos) << text;
  EXPECT_NE(text.find("; stopped by depth within fault budget 0 of 0"), text.npos) << text;
  EXPECT_NE(text.find("no fault budget is exhausted"), text.npos) << text;
}

TEST(HuntSettingsTest, AFindOfAnExhaustiveSearchIsExplained) {
  HuntSettings settings = small();
  settings.strategy = "exhaustive";
  const HuntReport report = hunt_lock("no-lock", &walk_in, settings);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_EQ(report.text().find("of seed"), std::string::npos) << report.text();
}

TEST(HuntSettingsTest, FindingsDoNotDependOnTheJobs) {
  LockUnderTest lock("no-lock", &walk_in);
  lock.isolated = true;
  HuntSettings settings = small();
  const HuntReport one = hunt_lock(lock, settings);
  settings.jobs = 3;
  const HuntReport three = hunt_lock(lock, settings);
  ASSERT_TRUE(one.failure && three.failure);
  EXPECT_EQ(one.executions, three.executions);
  EXPECT_EQ(one.failure->replay, three.failure->replay);
}

std::size_t threads_that_hunt(bool isolated) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  LockUnderTest threads("threads", [&](Contender& self, Path lock, std::uint32_t rounds) {
    {
      const std::lock_guard guard(mutex);
      // allow(this_thread): which threads there are, no sleep
      seen.insert(std::this_thread::get_id());
    }
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  threads.isolated = isolated;
  HuntSettings settings = small();
  settings.executions = isolated ? 1'000'000 : 500;
  settings.jobs = 3;
  HuntWatch watch;
  watch.interrupted = [&] {
    const std::lock_guard guard(mutex);
    return seen.size() == settings.jobs;
  };
  EXPECT_TRUE(hunt_lock(threads, settings, watch).passed());
  return seen.size();
}

TEST(HuntSettingsTest, OnlyContendersThatShareNoMemoryAreHuntedOnSeveralThreads) {
  EXPECT_EQ(threads_that_hunt(true), 3U);
  EXPECT_EQ(threads_that_hunt(false), 1U);
}

TEST(HuntSettingsTest, UnknownStrategiesAndReductionsAreRefused) {
  HuntSettings settings = small();
  settings.strategy = "luck";
  EXPECT_EQ(
      refusal(settings),
      "there is no strategy 'luck', only portfolio, random, pct, pos, urw, delay, exhaustive");
  settings = small();
  settings.reduction = "source";
  EXPECT_EQ(refusal(settings), "only an exhaustive search has a reduction");
  settings.strategy = "exhaustive";
  settings.reduction = "half";
  EXPECT_EQ(refusal(settings), "there is no reduction 'half', only none, sleep, source");
  settings.reduction.clear();
  settings.measure_coverage = true;
  EXPECT_EQ(refusal(settings), "an exhaustive search measures no coverage");
  settings.measure_coverage = false;
  settings.faults = faults_called("all,forgotten-writes", 1);
  EXPECT_EQ(refusal(settings),
            "an exhaustive search has no 'forgotten-writes': it leaves out orders of writes, and "
            "their order decides which are forgotten");
  for (const std::uint32_t jobs : {0U, 257U}) {
    settings = small();
    settings.jobs = jobs;
    EXPECT_NE(refusal(settings).find(" jobs cannot hunt"), std::string::npos) << jobs;
  }
}

TEST(HuntSettingsTest, MoreFaultsThanCanStrikeAreRefused) {
  HuntSettings settings = small();
  settings.faults = fakezk::FaultPlan::all(HuntSettings::kMostFaults);
  EXPECT_EQ(refusal(settings), "");
  settings.faults.set_total(HuntSettings::kMostFaults + 1);
  EXPECT_EQ(refusal(settings), "17 faults are too many: at most 16 strike in an execution");
}

TEST(HuntSettingsTest, TheEnvironmentSetsTheSearch) {
  const Variable strategy("LOCKSTEP_STRATEGY", "exhaustive");
  const Variable reduction("LOCKSTEP_REDUCTION", "sleep");
  const Variable jobs("LOCKSTEP_JOBS", "2");
  const Variable faults("LOCKSTEP_FAULTS", "cut,timer:1");
  const Variable budget("LOCKSTEP_FAULT_BUDGET", "3");
  const HuntSettings settings = small().with_environment();
  EXPECT_EQ(settings.strategy, "exhaustive");
  EXPECT_EQ(settings.reduction, "sleep");
  EXPECT_EQ(settings.jobs, 2U);
  EXPECT_EQ(settings.faults.kinds(), bit(fakezk::FaultKind::kCut) | bit(fakezk::FaultKind::kTimer));
  EXPECT_EQ(settings.faults.most(fakezk::FaultKind::kTimer), 1U);
  EXPECT_EQ(settings.faults.total(), 3U);
}

TEST(HuntSettingsTest, UnsetVariablesChangeNothing) {
  HuntSettings settings = small();
  settings.faults = fakezk::FaultPlan::all(5);
  settings.strategy = "pct";
  settings.jobs = 4;
  EXPECT_EQ(settings.with_environment().faults, settings.faults);
  EXPECT_EQ(settings.with_environment().strategy, "pct");
  EXPECT_EQ(settings.with_environment().jobs, 4U);
  const Variable none("LOCKSTEP_FAULT_BUDGET", "0");
  EXPECT_FALSE(settings.with_environment().faults.any());
}

TEST(HuntSettingsTest, AWrongEnvironmentVariableIsNamed) {
  for (const auto& [variable, value] : {std::pair("LOCKSTEP_JOBS", "0"),
                                        {"LOCKSTEP_JOBS", "257"},
                                        {"LOCKSTEP_JOBS", "many"},
                                        {"LOCKSTEP_FAULTS", "fire"},
                                        {"LOCKSTEP_FAULT_BUDGET", "17"}}) {
    const Variable wrong(variable, value);
    EXPECT_NE(refusal_of_environment().find(variable), std::string::npos) << variable << value;
  }
  const Variable wrong("LOCKSTEP_STRATEGY", "luck");
  EXPECT_NE(refusal(small().with_environment()), "");
}

TEST(HuntSettingsTest, TheReportNamesFaultsThatCannotStrike) {
  const LockUnderTest lock("fair-mutex", &contend_for<FairMutex>);
  HuntSettings settings{.size = {2, 1}, .faults = faults_called("cut,lag", 1), .executions = 20};
  const std::string named = hunt_lock(lock, settings).text();
  EXPECT_NE(named.find("Cannot strike: lag (there is one server).\n"), named.npos) << named;
  settings.faults = fakezk::FaultPlan::all(1);
  const std::string all = hunt_lock(lock, settings).text();
  EXPECT_EQ(all.find("Cannot strike"), all.npos) << all;
  settings.strategy = HuntSettings::kExhaustive;
  settings.faults = faults_called("cut,lag", 1);
  const std::string searched = hunt_lock(lock, settings).verdict();
  EXPECT_NE(searched.find("; lag (there is one server) cannot strike;"), searched.npos) << searched;
}

TEST(WordsTest, FaultsAreNamedUnlessAllAreMeant) {
  EXPECT_EQ(describe_faults(fakezk::FaultPlan()), "no faults");
  fakezk::FaultPlan plan = fakezk::FaultPlan::all(2);
  EXPECT_EQ(describe_faults(plan), "at most 2 faults per execution (all kinds)");
  plan.allow(fakezk::FaultKind::kForgottenWrites);
  EXPECT_EQ(describe_faults(plan),
            "at most 2 faults per execution (all kinds and forgotten-writes)");
  fakezk::FaultPlan few;
  few.set_total(1);
  few.allow(fakezk::FaultKind::kCut);
  few.allow(fakezk::FaultKind::kExpiry);
  EXPECT_EQ(describe_faults(few), "at most 1 fault per execution (cut, expiry)");
}

}  // namespace
}  // namespace lockstep::lab
