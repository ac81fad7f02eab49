#include "lockstep/judge/lock_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "oracles_by_hand.h"

namespace lockstep::judge {
namespace {

using namespace unit;

class ReadWriteOraclesTest : public OraclesOfRules {
 protected:
  ReadWriteOraclesTest() { judge(read_write_rules()); }
  // A grant that goes on with the place of another one.
  static GrantRecord continued(GrantRecord record, const Path& before) {
    record.continues = before;
    return record;
  }
  // The reader into which a writer is downgraded: it has that writer's number.
  GrantRecord downgraded(const Created& writer, const Created& reader) {
    GrantRecord record = continued(shared(*a_, reader), writer.path);
    record.token = writer.stat.czxid;
    return record;
  }
};

TEST_F(ReadWriteOraclesTest, ReadersMayHoldTogetherInAnyOrder) {
  const Created first = place(*a_, "/lock/x-__READ__");
  const Created second = place(*b_, "/lock/x-__READ__");
  oracles().granted(shared(*b_, second));
  oracles().granted(shared(*a_, first));
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(ReadWriteOraclesTest, ReaderGrantedAfterAWaitingWriterBreaksS1) {
  place(*a_, "/lock/x-__WRIT__");
  oracles().granted(shared(*b_, place(*b_, "/lock/x-__READ__")));
  EXPECT_EQ(broken(), "S1");
}

// A later writer has put itself in front.
TEST_F(ReadWriteOraclesTest, ReaderThatIsOvertakenBreaksL2) {
  const Created reader = place(*a_, "/lock/x-__READ__");
  const Created writer = place(*b_, "/lock/x-__WRIT__-000000001", CreateMode::kEphemeral);
  const GrantRecord record = grant(*b_, writer);
  oracles().granted(record);
  remove_znode(*b_, writer);
  oracles().released(record, ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "") << message();
  oracles().granted(shared(*a_, reader));
  EXPECT_EQ(broken(), "L2");
}

TEST_F(ReadWriteOraclesTest, WriterBesideAReaderBreaksS1) {
  const Created reader = place(*a_, "/lock/x-__READ__");
  oracles().granted(shared(*a_, reader));
  oracles().granted(grant(*b_, place(*b_, "/lock/x-__WRIT__")));
  EXPECT_EQ(broken(), "S1");
}

// A writer may hold beside the read grant that it continues, and beside no other one.
TEST_F(ReadWriteOraclesTest, UpgradeIsSoundOnlyBesideItsOwnReader) {
  const Created reader = place(*a_, "/lock/x-__READ__");
  oracles().granted(shared(*a_, reader));
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), reader.path));
  EXPECT_EQ(broken(), "") << message();
  oracles().granted(continued(grant(*b_, place(*b_, "/lock/x-__WRIT__")), reader.path));
  EXPECT_EQ(broken(), "S1");
}

// Another writer could have held meanwhile.
TEST_F(ReadWriteOraclesTest, AnUpgradeAfterTheEndOfItsReaderBreaksS1) {
  const Created reader = place(*a_, "/lock/x-__READ__");
  const GrantRecord record = shared(*a_, reader);
  oracles().granted(record);
  oracles().releasing(record);
  remove_znode(*a_, reader);
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), reader.path));
  expect_broken("S1", "continues the grant of");
}

// The reader's name was used before, and its znode of that time has gone.
TEST_F(ReadWriteOraclesTest, AnUpgradeContinuesTheLatestGrantOfItsReadersName) {
  const auto reader = [&] {
    return place(*a_, "/lock/y-__READ__0000000000", CreateMode::kEphemeral);
  };
  const Created first = reader();
  const GrantRecord record = shared(*a_, first);
  oracles().granted(record);
  oracles().releasing(record);
  remove_znode(*a_, first);
  oracles().released(record, ReleaseOutcome::kReleased);
  const Created again = reader();
  oracles().granted(shared(*a_, again));
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), again.path));
  EXPECT_EQ(broken(), "") << message();
}

// Its contender created that name before, and had to repeat it: the queue had been removed.
TEST_F(ReadWriteOraclesTest, AnEarlierLifeOfAReadersNameIsNotWhatAnUpgradeContinues) {
  constexpr std::string_view name = "/lock/x-__READ__0000000000";
  remove_znode(*a_, place(*a_, name, CreateMode::kEphemeral));
  const Created reader = place(*a_, name, CreateMode::kEphemeral);
  const GrantRecord record = shared(*a_, reader);
  oracles().granted(record);
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), reader.path));
  EXPECT_EQ(broken(), "") << message();
  oracles().releasing(record);
  remove_znode(*a_, reader);
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), reader.path));
  expect_broken("S1", "continues the grant of");
}

// The downgraded reader has its writer's number. That writer's znode may still be there.
TEST_F(ReadWriteOraclesTest, UpgradeIsSoundBesideTheWriterThatItsReaderWas) {
  const Created first = place(*a_, "/lock/x-__WRIT__");
  const GrantRecord record = grant(*a_, first);
  oracles().granted(record);
  const Created late = place(*a_, "/lock/y-__READ__0000000000", CreateMode::kEphemeral);
  oracles().granted(downgraded(first, late));
  oracles().releasing(record);
  oracles().granted(continued(grant(*a_, place(*a_, "/lock/x-__WRIT__")), late.path));
  EXPECT_EQ(broken(), "") << message();
  oracles().granted(continued(grant(*b_, place(*b_, "/lock/x-__WRIT__")), late.path));
  EXPECT_EQ(broken(), "S1");
}

// The downgraded reader was in front, and its writer is still there. Such a wake was once taken for
// one in vain.
TEST_F(ReadWriteOraclesTest, AWakeByADowngradedReaderIsSoundWhileItsWriterIsThere) {
  const Created writer = place(*a_, "/lock/x-__WRIT__");
  const Created reader = place(*a_, "/lock/y-__READ__0000000000", CreateMode::kEphemeral);
  const Created waits = place(*b_, "/lock/z-__WRIT__");
  oracles().waiting(b_->id(), waits.path, 2);
  remove_znode(*a_, reader);
  oracles().waiting(b_->id(), waits.path, 1);
  EXPECT_EQ(broken(), "") << message();
  for (int look = 0; look < 2; ++look) {
    place(*a_, "/lock/x-__READ__");
    oracles().waiting(b_->id(), waits.path, 1);
  }
  EXPECT_EQ(broken(), "L3");
}

TEST_F(ReadWriteOraclesTest, ReaderThatAppearsInAHoldersPlaceBreaksS1) {
  const Created first = place(*a_, "/lock/x-__WRIT__");
  oracles().granted(grant(*a_, first));
  remove_znode(*a_, first);
  const Created second = place(*b_, "/lock/x-__WRIT__");
  oracles().granted(grant(*b_, second));
  EXPECT_EQ(broken(), "") << message();
  const Created late = place(*a_, "/lock/y-__READ__0000000000", CreateMode::kEphemeral);
  oracles().granted(downgraded(first, late));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(ReadWriteOraclesTest, TooManyLeasesBreakS1) {
  judge(semaphore_rules(2));
  oracles().granted(shared(*a_, place(*a_, "/lock/x-lease-")));
  oracles().granted(shared(*b_, place(*b_, "/lock/x-lease-")));
  EXPECT_EQ(broken(), "") << message();
  oracles().granted(shared(*b_, place(*b_, "/lock/x-lease-")));
  expect_broken("S1", "one of 3 leases");
}

TEST_F(ReadWriteOraclesTest, LeaseThatIsNotDeletedBreaksS5) {
  judge(semaphore_rules(2));
  place(*a_, "/lock/x-lease-");
  oracles().check_orphans();
  EXPECT_EQ(broken(), "S5");
}

TEST_F(ReadWriteOraclesTest, LockOfOneZnodeHasOneHolderAtATime) {
  judge(single_rules("only"));
  const Created first = place(*a_, "/lock/only", CreateMode::kEphemeral);
  const GrantRecord record = grant(*a_, first);
  oracles().granted(record);
  remove_znode(*a_, first);
  oracles().released(record, ReleaseOutcome::kReleased);
  const Created second = place(*b_, "/lock/only", CreateMode::kEphemeral);
  oracles().granted(grant(*b_, second));
  EXPECT_EQ(broken(), "") << message();
  oracles().granted(record);
  EXPECT_EQ(broken(), "S1");
}

// No oracle compares grants that share a lock.
TEST_F(ReadWriteOraclesTest, LockOfOneZnodeCannotBeShared) {
  judge(single_rules("only"));
  GrantRecord record = grant(*a_, place(*a_, "/lock/only", CreateMode::kEphemeral));
  record.share = Share::kShared;
  oracles().granted(record);
  expect_broken("misuse", "its znode is the whole lock");
}

TEST_F(ReadWriteOraclesTest, EachWaiterForOneZnodeMayLookAtIt) {
  judge(single_rules("only"));
  const std::shared_ptr<FakeSession> c = simulation_.open("C");
  const Created only = place(*a_, "/lock/only", CreateMode::kEphemeral);
  for (int look = 0; look < kIdleLooks; ++look) {
    oracles().waiting(b_->id(), only.path, 1);
    oracles().waiting(c->id(), only.path, 1);
  }
  EXPECT_EQ(broken(), "") << message();
  oracles().waiting(b_->id(), only.path, 1);
  EXPECT_EQ(broken(), "livelock");
}

TEST_F(ReadWriteOraclesTest, NothingIsJudgedAfterTheEnd) {
  const GrantRecord record = grant(*a_, place(*a_, "/lock/x-__WRIT__"));
  oracles().end();
  oracles().violated("user:stock", "sold one too many");
  oracles().violated("S1", "two hold");
  oracles().lost(record, Error::kSessionExpired);
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(ReadWriteOraclesTest, ProgramMayReportWhatItHasSeen) {
  oracles().violated("user:stock", "sold one too many");
  EXPECT_EQ(broken(), "user:stock");
}

TEST_F(ReadWriteOraclesTest, ALeaseThatIsReportedAsExclusiveIsMisuse) {
  judge(semaphore_rules(2));
  oracles().granted(shared(*a_, place(*a_, "/lock/x-lease-")));
  oracles().granted(grant(*b_, place(*b_, "/lock/x-lease-")));
  expect_broken("misuse", "was granted as exclusive, but its znode is a lease");
}

}  // namespace
}  // namespace lockstep::judge
