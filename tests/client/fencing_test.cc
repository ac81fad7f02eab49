#include "lockstep/fencing.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;
using fake::FakeClient;

constexpr Zxid kLargest = (Zxid{1} << kFencingEpochShift) - 1;

TEST(FencingTokenTest, WithoutAnEpochATokenIsTheCzxid) {
  for (const Zxid czxid : {Zxid{0}, Zxid{7}, kLargest, std::numeric_limits<Zxid>::max()}) {
    EXPECT_EQ(fencing_token(0, czxid), czxid);
  }
}

TEST(FencingTokenTest, GrowsWithTheEpochFirstThenWithTheCzxid) {
  const std::vector<Zxid> czxids = {0, 1, 0xffffffff, 0x100000000, kLargest};
  Zxid before = -1;
  for (std::int32_t epoch = 0; epoch <= kLastFencingEpoch; ++epoch) {
    for (const Zxid czxid : czxids) {
      const Zxid token = fencing_token(epoch, czxid);
      EXPECT_GT(token, before) << epoch << ' ' << czxid;
      before = token;
    }
  }
}

TEST(FencingTokenDeathTest, InvalidEpochIsMisuse) {
  EXPECT_DEATH(static_cast<void>(fencing_token(128, 1)), "between 0 and 127");
  EXPECT_DEATH(static_cast<void>(fencing_token(-1, 1)), "between 0 and 127");
  EXPECT_DEATH(static_cast<void>(fencing_token(1, kLargest + 1)), "too many leaders");
}

// A rebuilt ensemble's counter starts over, but no token is smaller than an earlier one.
TEST(FencingTokenTest, RebuiltEnsembleGivesLargerTokensAfterTheNextEpoch) {
  Zxid before = 0;
  for (std::int32_t epoch = 0; epoch < 3; ++epoch) {
    Simulation simulation;
    SessionOptions options;
    options.fencing_epoch = epoch;
    const auto session = simulation.open("A", FakeClient::kDefaultTimeout, Path(Text()), options);
    FairMutex mutex(*session, "/lock");
    for (int grants = 0; grants < 3; ++grants) {
      HeldLock held = must(simulation.run(mutex.acquire()), "acquire");
      EXPECT_GT(held.fencing_token(), before);
      before = held.fencing_token();
      EXPECT_EQ(simulation.run(held.release()), ReleaseOutcome::kReleased);
    }
  }
}

// Notes the newest grant's token.
class NotesToken final : public LockObserver {
 public:
  void granted(const GrantRecord& grant) override { token = grant.token; }

  Zxid token = 0;
};

TEST(FencingTokenTest, GrantOfARecipeByHandHasItsSessionsEpoch) {
  Simulation simulation;
  SessionOptions options;
  options.fencing_epoch = 3;
  const auto session = simulation.open("A", FakeClient::kDefaultTimeout, Path(Text()), options);
  const Created ours = must(simulation.run(create(*session, "/lock")), "create");
  const Zxid czxid = ours.stat.czxid;
  NotesToken observer;
  const HeldLock held(*session, GrantRecord(session->id(), "/", ours.path, czxid, czxid),
                      &observer);
  EXPECT_EQ(held.fencing_token(), (Zxid{3} << kFencingEpochShift) + czxid);
  EXPECT_EQ(observer.token, held.fencing_token());
}

TEST(FencingTokenTest, DowngradeKeepsItsWritersToken) {
  Simulation simulation;
  SessionOptions options;
  options.fencing_epoch = 5;
  const auto session = simulation.open("A", FakeClient::kDefaultTimeout, Path(Text()), options);
  ReadWriteLock lock(*session, "/lock");
  HeldLock held = must(simulation.run(lock.acquire_write()), "acquire_write");
  const Zxid token = held.fencing_token();
  EXPECT_EQ(token >> kFencingEpochShift, 5);
  must(simulation.run(lock.downgrade(held)), "downgrade");
  EXPECT_EQ(held.fencing_token(), token);
}

}  // namespace
}  // namespace lockstep
