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

class LocksGuideTest : public ::testing::Test {
 protected:
  Simulation simulation_;
};

TEST_F(LocksGuideTest, AReportIsWrittenUnderALock) {
  const auto session = simulation_.open("Ann");
  EXPECT_EQ(simulation_.run(write_report(*session)).error(), Error::kNoNode);
  ASSERT_TRUE(simulation_.run(ensure_parent(*session, "/report", {})));
  EXPECT_TRUE(simulation_.run(write_report(*session)));
}

TEST_F(LocksGuideTest, APatientJobQueuesUpAgain) {
  const auto holder = simulation_.open("Bob");
  FairMutex mutex(*holder, "/locks/nightly");
  Result<HeldLock> held = simulation_.run(mutex.acquire());
  fake::FakeClient& ann = simulation_.client("Ann");
  const auto patient = simulation_.start(rejoins_of_a_patient_job(ann));
  simulation_.settle();
  simulation_.kill(*ann.current());
  simulation_.settle();
  simulation_.run(held->release());
  simulation_.run_until(patient);
  EXPECT_EQ(patient.result(), 1U);
}

TEST_F(LocksGuideTest, AReaderUpgradesAndDowngrades) {
  const auto session = simulation_.open("Ann");
  bool stale = true;
  EXPECT_TRUE(simulation_.run(refresh_if_stale(*session, stale)));
  EXPECT_FALSE(stale);
  Result<ClientGrant> reads = simulation_.run(read_lock(simulation_.client("Bob")));
  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->held.share(), Share::kShared);
}

TEST_F(LocksGuideTest, SeveralAreHeldTogether) {
  const auto session = simulation_.open("Ann");
  EXPECT_TRUE(simulation_.run(print_together(*session)));
}

TEST_F(LocksGuideTest, MembersComputeInTheSameRound) {
  const auto ann = simulation_.open("Ann");
  const auto bob = simulation_.open("Bob");
  const auto first = simulation_.start(compute_a_step(*ann));
  const auto second = simulation_.start(compute_a_step(*bob));
  simulation_.run_until(first);
  simulation_.run_until(second);
  EXPECT_EQ(first.result().value(), second.result().value());
}

TEST_F(LocksGuideTest, ALeaderDescribesItself) {
  const auto session = simulation_.open("Ann");
  EXPECT_EQ(simulation_.run(lead_once(*session)).value(), "ann@host");
}

TEST_F(LocksGuideTest, ALatchHearsOfItsLeadership) {
  Billing billing;
  std::stop_source stop;
  simulation_.start(take_part(simulation_.client("Ann"), billing, stop.get_token()));
  simulation_.settle();
  EXPECT_TRUE(billing.token);
  stop.request_stop();
  simulation_.settle();
  EXPECT_FALSE(billing.token);
}

TEST_F(LocksGuideTest, APageOfALostLockIsRefused) {
  const auto session = simulation_.open("Ann");
  ASSERT_TRUE(simulation_.run(ensure_parent(*session, "/report", {})));
  FairMutex mutex(*session, "/locks/report");
  Result<HeldLock> held = simulation_.run(mutex.acquire());
  EXPECT_TRUE(simulation_.run(write_page(*session, *held, "1")));
  remove_guaranteed(*session, held->znode());
  simulation_.settle();
  EXPECT_EQ(simulation_.run(write_page(*session, *held, "2")).error(), Error::kNoNode);
}

TEST_F(LocksGuideTest, AHolderIsDescribedAndAsked) {
  SessionOptions options;
  options.auth.emplace_back("digest", "billing:secret");
  const auto session =
      simulation_.open("Ann", fake::FakeClient::kDefaultTimeout, Path(Text()), options);
  FairMutex mutex = described_mutex(*session);
  Result<HeldLock> held = simulation_.run(mutex.acquire());
  ASSERT_TRUE(held);
  EXPECT_EQ(simulation_.run(who_is_there(*session)).substr(0, 12), "holds: host=");
  EXPECT_FALSE(shall_give_up(*held));
  EXPECT_TRUE(simulation_.run(revoke(*session, "/locks/nightly")));
  simulation_.settle();
  EXPECT_TRUE(shall_give_up(*held));
}

TEST_F(LocksGuideTest, ReadersAndLeasesAreAskedToo) {
  const auto session = simulation_.open("Ann");
  LockOptions options;
  options.revocable = true;
  ReadWriteLock catalogue(*session, "/catalogue", options);
  Result<HeldLock> reads = simulation_.run(catalogue.acquire_read());
  Semaphore printers(*session, "/printers", 2, options);
  Result<HeldLock> prints = simulation_.run(printers.acquire());
  const std::stop_token of_reader = reads->revoked_token();
  const std::stop_token of_lease = prints->revoked_token();
  EXPECT_TRUE(simulation_.run(ask_for_both(*session, "/catalogue", "/printers")));
  simulation_.settle();
  EXPECT_TRUE(of_reader.stop_requested());
  EXPECT_TRUE(of_lease.stop_requested());
}

TEST_F(LocksGuideTest, AnObserverHearsOfALoss) {
  const auto session = simulation_.open("Ann");
  LossLog log;
  FairMutex mutex(*session, "/locks/nightly", &log);
  Result<HeldLock> held = simulation_.run(mutex.acquire());
  simulation_.kill(*session);
  simulation_.settle();
  EXPECT_EQ(log.last, "/locks/nightly: session expired");
}

TEST_F(LocksGuideTest, AJobIsMeasured) {
  PrometheusMetrics metrics;
  Simulation simulation;  // Destroyed first: its sessions report their ends.
  simulation.run(measured_job(simulation.client("Ann"), metrics));
  EXPECT_TRUE(is_like(metrics.text(), shown("locks_16.out"))) << metrics.text();
  EXPECT_EQ(scrape(simulation.client("Ann"), metrics), metrics.text());
}

TEST_F(LocksGuideTest, PollersRunBesideEachOther) {
  std::stop_source stop;
  const auto polling = simulation_.start(poll_two(simulation_.client("Ann"), stop.get_token()));
  simulation_.advance(1500ms);
  stop.request_stop();
  simulation_.run_until(polling);
  EXPECT_EQ(polling.result(), 4);
}

}  // namespace lockstep::readme::locks
