// The fair mutex keeps its guarantees in scenarios of every small size under every set of faults.
// Its broken twins, judged by the same function, do not: so the property can fail, and RapidCheck
// shrinks the scenario to the smallest that shows the bug.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "lockstep/fair_mutex.h"
#include "lockstep/rapidcheck/hunt_settings.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

using fakezk::FaultKind;
using fakezk::FaultPlan;

void keeps_its_guarantees(const lab::LockUnderTest& lock, const lab::HuntSettings& settings) {
  const lab::HuntReport report = lab::hunt_lock(lock, settings);
  if (!report.passed()) RC_FAIL(report.text());
}

RC_GTEST_PROP(FairMutexProperty, KeepsItsGuarantees, (const lab::HuntSettings& settings)) {
  keeps_its_guarantees(lab::LockUnderTest("fair-mutex", &lab::contend_for<FairMutex>), settings);
}

// RapidCheck's findings about a broken lock.
struct Falsified {
  std::string description;
  lab::HuntSettings smallest;
};

std::optional<Falsified> falsify(std::string_view name) {
  const lab::LockUnderTest lock = scenarios::find(name)->lock();
  Falsified falsified;
  const auto judge = [&](const lab::HuntSettings& settings) {
    try {
      keeps_its_guarantees(lock, settings);
    } catch (...) {
      falsified.smallest = settings;  // While shrinking, the last case that fails is the smallest.
      throw;
    }
  };
  rc::detail::TestParams params;
  params.seed = 1;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(judge, rc::detail::TestMetadata(), params);
  rc::detail::FailureResult failure;
  if (!result.match(failure)) return std::nullopt;
  falsified.description = failure.description;
  return falsified;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BrokenTwinProperty, AWaitAfterAMissingPredecessorNeedsTwoClientsAndNoFault) {
  const std::optional<Falsified> falsified = falsify("zoo-01-wait-after-missing-predecessor");
  ASSERT_TRUE(falsified);
  EXPECT_EQ(falsified->smallest.size.clients, 2U);
  EXPECT_EQ(falsified->smallest.size.rounds, 1U);
  EXPECT_FALSE(falsified->smallest.faults.any());
  for (const std::string part : {"breaks L1", "WAITS FOR EVER", "lockstep1/zoo-01-"}) {
    EXPECT_TRUE(contains(falsified->description, part)) << part << '\n' << falsified->description;
  }
}

TEST(BrokenTwinProperty, ACreateWithoutGuidNeedsTwoClientsAndOneCut) {
  const std::optional<Falsified> falsified = falsify("zoo-07-create-without-guid");
  ASSERT_TRUE(falsified);
  EXPECT_EQ(falsified->smallest.size.clients, 2U);
  EXPECT_EQ(falsified->smallest.size.rounds, 1U);
  FaultPlan one_cut;
  one_cut.allow(FaultKind::kCut, 1);
  one_cut.set_total(1);
  EXPECT_EQ(falsified->smallest.faults, one_cut)
      << search::format_faults(falsified->smallest.faults);
  EXPECT_TRUE(contains(falsified->description, "breaks L1")) << falsified->description;
}

}  // namespace
}  // namespace lockstep
