#include "lockstep/lab/replay.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/hunts.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"

namespace lockstep::lab {
namespace {

HuntReport broken_lock() {
  HuntSettings settings{.size = ScenarioSize{2, 1}};
  return hunt_lock("everybodys-mutex", &contend_for<EverybodysMutex>, settings);
}

TEST(RunScheduleDeathTest, DeviationsInAnotherOrderAreMisuse) {
  const LockUnderTest lock = lock_under_test<EverybodysMutex>("everybodys-mutex");
  const auto run = [&](const std::vector<fakezk::Deviation>& deviations) {
    return run_schedule(lock, {2, 1}, {}, deviations).passed();
  };
  const fakezk::Deviation first = {1, {false, 1}};
  const fakezk::Deviation second = {5, {false, 1}};
  EXPECT_FALSE(run({first, second}));
  EXPECT_DEATH(run({second, first}), "the deviations of a schedule are sorted");
  EXPECT_DEATH(run({first, first}), "the deviations of a schedule are sorted");
}

TEST(ReplayLockTest, RepeatsTheFinding) {
  const HuntReport hunt = broken_lock();
  ASSERT_FALSE(hunt.passed());
  const ReplayReport report = replay_lock(hunt.failure->replay, &contend_for<EverybodysMutex>);
  EXPECT_FALSE(report.passed());
  EXPECT_TRUE(report.as_recorded);
  ASSERT_TRUE(report.violation.has_value());
  EXPECT_EQ(report.violation->oracle, "S1");
  EXPECT_EQ(report.violation->message, hunt.failure->violation.message);
  const std::string text = report.text();
  EXPECT_TRUE(text.starts_with("everybodys-mutex, replayed as recorded, breaks S1 (")) << text;
  EXPECT_NE(text.find(hunt.failure->lanes), text.npos) << text;
}

TEST(ReplayLockTest, ARepairedLockPasses) {
  const ReplayReport report = replay_lock(broken_lock().failure->replay, &contend_for<FairMutex>);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_FALSE(report.as_recorded);
  EXPECT_NE(report.text().find("but not as recorded"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find(" is the first one that differs"), std::string::npos)
      << report.text();
  EXPECT_NE(report.text().find("breaks nothing"), std::string::npos) << report.text();
}

TEST(ReplayLockTest, ChecksThatContradictTheTraceHashAreAnError) {
  std::string replay = broken_lock().failure->replay;
  replay.back() = replay.back() == '0' ? '1' : '0';
  const ReplayReport report = replay_lock(replay, &contend_for<EverybodysMutex>);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.text().find("corrupt at its checks"), std::string::npos) << report.text();
}

TEST(ReplayLockTest, ASizeThatNoHuntHasIsRefused) {
  for (const std::string size : {"c65r1", "c1r101", "c64r11", "c4294967295r4294967295"}) {
    const ReplayReport report = replay_lock("lockstep1/fair-mutex/" + size + "/none/calm/unknown",
                                            &contend_briefly_for<FairMutex>);
    EXPECT_FALSE(report.passed()) << size;
    EXPECT_NE(report.text().find("corrupt at its size"), std::string::npos) << report.text();
  }
}

TEST(ReplayLockTest, AStringThatCannotBeReadFails) {
  const ReplayReport report = replay_lock("lockstep1/x", &contend_for<FairMutex>);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.text().find("replay string"), std::string::npos) << report.text();
}

// tests/packaging shows that such code compiles and works.
TEST(RegressionTestTest, IsTheCodeOfATest) {
  const HuntReport hunt = broken_lock();
  const std::string code = hunt.regression_test();
  for (const std::string part :
       {"#include <gtest/gtest.h>", "#include \"lockstep/lab/replay.h\"",
        "// Include the header of your lock here", "TEST(EverybodysMutexTest, KeepsS1) {",
        "lockstep::lab::replay_lock(", "&lockstep::lab::contend_for<EverybodysMutex>",
        "EXPECT_TRUE(report.passed())"}) {
    EXPECT_NE(code.find(part), code.npos) << "'" << part << "' is not in:\n" << code;
  }
  EXPECT_NE(hunt.regression_test("my::Mutex").find("contend_for<my::Mutex>"), code.npos);
  EXPECT_NE(hunt.text().find(code), code.npos);
  EXPECT_NE(hunt.html().find("everybodys-mutex breaks S1"), code.npos);
  EXPECT_EQ(HuntReport().regression_test(), "");
  EXPECT_EQ(HuntReport().html(), "");
}

TEST(RegressionTestTest, NamesTheClaim) {
  const auto code_for = [](const std::string& oracle) {
    search::Failure failure;
    failure.violation = {oracle, "first line\nsecond line", 1};
    failure.replay = "lockstep1/3-way \"lock\"/c1r1/none/calm/0.";
    return regression_test(failure, "make", false, "a.h");
  };
  EXPECT_NE(code_for("L1").find("TEST(Lock3WayLockTest, KeepsL1)"), std::string::npos);
  EXPECT_NE(code_for("livelock").find(", HasNoLivelock)"), std::string::npos);
  EXPECT_NE(code_for("user:no-leak").find(", KeepsNoLeak)"), std::string::npos);
  EXPECT_EQ(code_for("L1").find("second line"), std::string::npos);
  EXPECT_NE(code_for("L1").find(R"(3-way \"lock\")"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::lab
