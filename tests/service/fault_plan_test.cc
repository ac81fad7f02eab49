// Automatic faults of a plan.
#include "fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "raw_session.h"
#include "served.h"

namespace lockstep::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<PlannedFault> all_kinds() {
  std::vector<PlannedFault> kinds;
  for (const PlannedFaultName& planned : kPlannedFaults) kinds.push_back(planned.fault);
  return kinds;
}

TEST(PlannedFaultsTest, AreAFunctionOfTheSeed) {
  const Control::Plan plan{.seed = 7, .every = seconds(2), .kinds = all_kinds()};
  Control::Plan another = plan;
  another.seed = 8;
  PlannedFaults first(plan);
  PlannedFaults again(plan);
  PlannedFaults other(another);
  std::set<PlannedFault> struck;
  bool differs = false;
  for (int count = 0; count < 200; ++count) {
    const PlannedFaults::Next next = first.next();
    const PlannedFaults::Next same = again.next();
    const PlannedFaults::Next different = other.next();
    EXPECT_EQ(next.kind, same.kind);
    EXPECT_EQ(next.victim, same.victim);
    EXPECT_EQ(next.pause, same.pause);
    EXPECT_GE(next.pause, seconds(1));
    EXPECT_LT(next.pause, seconds(3));
    differs = differs || next.victim != different.victim;
    struck.insert(next.kind);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(struck.size(), kPlannedFaults.size());
}

TEST(FaultPlanTest, CutsUntilItIsCalm) {
  Served served;
  Control control(served.service());
  ASSERT_TRUE(control.plan({.seed = 1, .every = milliseconds(5), .kinds = {PlannedFault::kCut}})
                  .has_value());
  for (int cuts = 0; cuts < 3; ++cuts) {
    RawSession(served.service().ports().front(), seconds(40)).wait_for_close();
  }
  control.calm();
  RawSession ann(served.service().ports().front());
  ann.create("/a");
}

// All kinds together, on three servers with clients that come and go; afterwards everything works.
TEST(FaultPlanTest, EverythingWorksAfterwards) {
  Served served(ServiceOptions{.servers = 3});
  Control control(served.service());
  ASSERT_TRUE(
      control.plan({.seed = 2, .every = milliseconds(2), .kinds = all_kinds()}).has_value());
  for (std::size_t count = 0; count < 200; ++count) {
    try {
      RawSession ann(served.service().ports()[count % 3]);
      if (ann.id() == 0) continue;
      ann.create("/n" + std::to_string(count), 1);
      ann.exists("/n");
    } catch (const std::exception&) {
      // The connection was refused or cut, or a message was lost.
    }
    if (count % 10 == 0) control.calm();  // Do not wait for a stalled session.
    if (count % 10 == 0) {
      ASSERT_TRUE(control.plan({.seed = count, .every = milliseconds(2), .kinds = all_kinds()})
                      .has_value());
    }
  }
  control.calm();
  for (const Control::Server& server : control.servers()) {
    EXPECT_FALSE(server.refuses);
    EXPECT_FALSE(server.lags);
  }
  RawSession bob(served.service().ports()[1]);
  bob.create("/after");
  EXPECT_EQ(bob.exists("/after"), 0);
}

TEST(FaultPlanTest, ANewPlanEndsTheLastingFaultOfTheOldOne) {
  Served served(ServiceOptions{.servers = 3});
  Control control(served.service());
  const auto refuses = [](const Control::Server& server) { return server.refuses; };
  const Control::Plan often{.seed = 1, .every = milliseconds(1), .kinds = {PlannedFault::kRefuse}};
  const Control::Plan seldom{.seed = 1, .every = seconds(1'000), .kinds = {PlannedFault::kCut}};
  ASSERT_TRUE(control.plan(often).has_value());
  while (std::ranges::none_of(control.servers(), refuses)) continue;
  ASSERT_TRUE(control.plan(seldom).has_value());
  EXPECT_TRUE(std::ranges::none_of(control.servers(), refuses));
}

TEST(FaultPlanTest, APlanWithoutFaultsOrPausesIsRefused) {
  Served served;
  Control control(served.service());
  EXPECT_FALSE(control.plan({.seed = 1, .every = seconds(1), .kinds = {}}).has_value());
  for (const Duration every : {Duration::zero(), Duration(std::chrono::hours(2))}) {
    EXPECT_FALSE(control.plan({.seed = 1, .every = every, .kinds = all_kinds()}).has_value());
  }
}

}  // namespace
}  // namespace lockstep::service
