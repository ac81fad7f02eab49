#include "lockstep/threads/inside.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "contenders.h"
#include "lockstep/threads/hunt_threads.h"

// Critical sections that outlive their threads or their executions.

namespace lockstep::threads {
namespace {

lab::HuntSettings few() {
  lab::HuntSettings settings;
  settings.executions = 20;
  settings.faults = lab::faults_called("none", 0);
  return settings;
}

// A thread takes the lock and hands it to another one.
TEST(InsideTest, OneThatOutlivesItsThreadStillExcludes) {
  const auto body = [] {
    std::unique_ptr<Inside> handed_on;
    std::thread taker([&] { handed_on = std::make_unique<Inside>("stock"); });
    taker.join();
    const Inside own("stock");
  };
  const lab::HuntReport report = hunt_threads("handed-on", body, few());
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

TEST(InsideTest, OneThatAnotherThreadEndsExcludesNobodyAfterwards) {
  const auto body = [] {
    std::unique_ptr<Inside> handed_on;
    std::thread taker([&] { handed_on = std::make_unique<Inside>("stock"); });
    taker.join();
    handed_on.reset();
    const Inside own("stock");
  };
  const lab::HuntReport report = hunt_threads("handed-on", body, few());
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(InsideTest, OneOfAnEarlierExecutionEndsWithoutEffect) {
  static std::unique_ptr<Inside> kept;
  const auto body = [] { kept = std::make_unique<Inside>("stock"); };
  ThreadsUnderTest threads{.name = "kept", .body = body, .at_start = [] { kept.reset(); }};
  const lab::HuntReport report = hunt_threads(threads, few());
  EXPECT_TRUE(report.passed()) << report.text();
  kept.reset();
}

// Its thread may have had the address of one that is inside now.
TEST(InsideTest, OneOfAnEarlierExecutionTakesNobodyOut) {
  static std::unique_ptr<Inside> earlier;
  lab::HuntSettings once = few();
  once.executions = 1;
  const auto keep = [] { earlier = std::make_unique<Inside>("stock"); };
  ASSERT_TRUE(hunt_threads("keeps", keep, once).passed());
  const auto body = [] {
    const Inside own("stock");
    earlier.reset();
    std::thread([] { const Inside other("stock"); }).join();
  };
  const lab::HuntReport report = hunt_threads("two", body, once);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

}  // namespace
}  // namespace lockstep::threads
