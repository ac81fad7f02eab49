// The code of docs/locks.md.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "locks_includes.inc"
#include "lockstep/fake/simulation.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/take_place.h"
#include "printed.h"

namespace lockstep::readme::locks {

using namespace std::chrono_literals;
using fake::Simulation;

#include "locks_1.inc"
#include "locks_10.inc"
#include "locks_11.inc"
#include "locks_12.inc"
#include "locks_13.inc"
#include "locks_14.inc"
#include "locks_15.inc"
#include "locks_16.inc"
#include "locks_17.inc"
#include "locks_18.inc"
#include "locks_2.inc"
#include "locks_3.inc"
#include "locks_4.inc"
#include "locks_5.inc"
#include "locks_6.inc"
#include "locks_7.inc"
#include "locks_8.inc"
#include "locks_9.inc"

TEST(LocksGuideTest, AReportIsWrittenUnderALock) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  EXPECT_EQ(simulation.run(write_report(*session)).error(), Error::kNoNode);
  ASSERT_TRUE(simulation.run(ensure_parent(*session, "/report", {})));
  EXPECT_TRUE(simulation.run(write_report(*session)));
}

TEST(LocksGuideTest, APatientJobQueuesUpAgain) {
  Simulation simulation;
  const auto holder = simulation.open("Bob");
  FairMutex mutex(*holder, "/locks/nightly");
  Result<HeldLock> held = simulation.run(mutex.acquire());
  fake::FakeClient& ann = simulation.client("Ann");
  const auto patient = simulation.start(rejoins_of_a_patient_job(ann));
  simulation.settle();
  simulation.kill(*ann.current());
  simulation.settle();
  simulation.run(held->release());
  simulation.run_until(patient);
  EXPECT_EQ(patient.result(), 1U);
}

TEST(LocksGuideTest, AReaderUpgradesAndDowngrades) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  bool stale = true;
  EXPECT_TRUE(simulation.run(refresh_if_stale(*session, stale)));
  EXPECT_FALSE(stale);
  Result<ClientGrant> reads = simulation.run(read_lock(simulation.client("Bob")));
  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->held.share(), Share::kShared);
}

TEST(LocksGuideTest, SeveralAreHeldTogether) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  EXPECT_TRUE(simulation.run(print_together(*session)));
}

TEST(LocksGuideTest, MembersComputeInTheSameRound) {
  Simulation simulation;
  const auto ann = simulation.open("Ann");
  const auto bob = simulation.open("Bob");
  const auto first = simulation.start(compute_a_step(*ann));
  const auto second = simulation.start(compute_a_step(*bob));
  simulation.run_until(first);
  simulation.run_until(second);
  EXPECT_EQ(first.result().value(), second.result().value());
}

TEST(LocksGuideTest, ALeaderDescribesItself) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  EXPECT_EQ(simulation.run(lead_once(*session)).value(), "ann@host");
}

TEST(LocksGuideTest, ALatchHearsOfItsLeadership) {
  Simulation simulation;
  Billing billing;
  std::stop_source stop;
  simulation.start(take_part(simulation.client("Ann"), billing, stop.get_token()));
  simulation.settle();
  EXPECT_TRUE(billing.token);
  stop.request_stop();
  simulation.settle();
  EXPECT_FALSE(billing.token);
}

TEST(LocksGuideTest, APageOfALostLockIsRefused) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  ASSERT_TRUE(simulation.run(ensure_parent(*session, "/report", {})));
  FairMutex mutex(*session, "/locks/report");
  Result<HeldLock> held = simulation.run(mutex.acquire());
  EXPECT_TRUE(simulation.run(write_page(*session, *held, "1")));
  remove_guaranteed(*session, held->znode());
  simulation.settle();
  EXPECT_EQ(simulation.run(write_page(*session, *held, "2")).error(), Error::kNoNode);
}

TEST(LocksGuideTest, AHolderIsDescribedAndAsked) {
  Simulation simulation;
  SessionOptions options;
  options.auth.emplace_back("digest", "billing:secret");
  const auto session =
      simulation.open("Ann", fake::FakeClient::kDefaultTimeout, Path(Text()), options);
  FairMutex mutex = described_mutex(*session);
  Result<HeldLock> held = simulation.run(mutex.acquire());
  ASSERT_TRUE(held);
  EXPECT_EQ(simulation.run(who_is_there(*session)).substr(0, 12), "holds: host=");
  EXPECT_FALSE(shall_give_up(*held));
  EXPECT_TRUE(simulation.run(revoke(*session, "/locks/nightly")));
  simulation.settle();
  EXPECT_TRUE(shall_give_up(*held));
}

TEST(LocksGuideTest, ReadersAndLeasesAreAskedToo) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  LockOptions options;
  options.revocable = true;
  ReadWriteLock catalogue(*session, "/catalogue", options);
  Result<HeldLock> reads = simulation.run(catalogue.acquire_read());
  Semaphore printers(*session, "/printers", 2, options);
  Result<HeldLock> prints = simulation.run(printers.acquire());
  const std::stop_token of_reader = reads->revoked_token();
  const std::stop_token of_lease = prints->revoked_token();
  EXPECT_TRUE(simulation.run(ask_for_both(*session, "/catalogue", "/printers")));
  simulation.settle();
  EXPECT_TRUE(of_reader.stop_requested());
  EXPECT_TRUE(of_lease.stop_requested());
}

TEST(LocksGuideTest, AnObserverHearsOfALoss) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  LossLog log;
  FairMutex mutex(*session, "/locks/nightly", &log);
  Result<HeldLock> held = simulation.run(mutex.acquire());
  simulation.kill(*session);
  simulation.settle();
  EXPECT_EQ(log.last, "/locks/nightly: session expired");
}

TEST(LocksGuideTest, AJobIsMeasured) {
  PrometheusMetrics metrics;
  Simulation simulation;
  simulation.run(measured_job(simulation.client("Ann"), metrics));
  EXPECT_TRUE(is_like(metrics.text(), shown("locks_16.out"))) << metrics.text();
  EXPECT_EQ(scrape(simulation.client("Ann"), metrics), metrics.text());
}

TEST(LocksGuideTest, PollersRunBesideEachOther) {
  Simulation simulation;
  std::stop_source stop;
  const auto polling = simulation.start(poll_two(simulation.client("Ann"), stop.get_token()));
  simulation.advance(1500ms);
  stop.request_stop();
  simulation.run_until(polling);
  EXPECT_EQ(polling.result(), 4);
}

}  // namespace lockstep::readme::locks
