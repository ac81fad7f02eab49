#include "interop/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::interop {
namespace {

using chaos::Transaction;
using testing::ElementsAre;
using testing::IsEmpty;

// A hand-written history; sessions are numbers.
class Story {
 public:
  Story& create(std::int64_t session, const std::string& name) {
    return add(Transaction::Kind::kCreate, session, "/lock/" + name, true);
  }
  Story& remove(std::int64_t session, const std::string& name) {
    return add(Transaction::Kind::kDelete, session, "/lock/" + name, false);
  }
  Story& end(std::int64_t session) {
    return add(Transaction::Kind::kEndOfSession, session, "", false);
  }
  Story& in(std::int64_t session, const std::string& name) {
    return add(Transaction::Kind::kCreate, session, "/witness/" + name + ".in", false);
  }
  Story& out(std::int64_t session, const std::string& name) {
    return add(Transaction::Kind::kCreate, session, "/witness/" + name + ".out", false);
  }
  // Enters, leaves and removes its znode.
  Story& pass(std::int64_t session, const std::string& name) {
    return in(session, name).out(session, name).remove(session, name);
  }
  [[nodiscard]] std::vector<std::string> violations(std::size_t leases = 1) const {
    return judge(history_, leases).violations;
  }

 private:
  Story& add(Transaction::Kind kind, std::int64_t session, const std::string& path,
             bool ephemeral) {
    const auto zxid = static_cast<std::int64_t>(history_.size() + 1);
    history_.push_back({kind, zxid, session, path, ephemeral});
    return *this;
  }
  std::vector<Transaction> history_;
};

const std::string kA = "_c_a-lock-0000000001";
const std::string kB = "b__lock__0000000002";
const std::string kReaderA = "_c_a-__READ__0000000001";
const std::string kReaderB = "_c_b-__READ__0000000002";
const std::string kWriterB = "_c_b-__WRIT__0000000002";
const std::string kLeaseA = "_c_a-lease-0000000001";
const std::string kLeaseB = "_c_b-lease-0000000002";

TEST(InteropJudgeTest, AcceptsTurns) {
  EXPECT_THAT(Story().create(1, kA).create(2, kB).pass(1, kA).pass(2, kB).violations(), IsEmpty());
  EXPECT_THAT(Story().create(1, kA).in(1, kA).end(1).create(2, kB).pass(2, kB).violations(),
              IsEmpty());
}

TEST(InteropJudgeTest, SeesTwoInside) {
  EXPECT_THAT(Story().create(1, kA).create(2, kB).in(1, kA).in(2, kB).end(1).end(2).violations(),
              ElementsAre(kB + " enters while " + kA + " is inside"));
}

TEST(InteropJudgeTest, SeesAContenderThatEntersOutOfTurn) {
  EXPECT_THAT(Story().create(1, kA).create(2, kB).pass(2, kB).pass(1, kA).violations(),
              ElementsAre(kB + " enters before " + kA));
}

TEST(InteropJudgeTest, LetsReadersShare) {
  EXPECT_THAT(Story()
                  .create(1, kReaderA)
                  .create(2, kReaderB)
                  .in(2, kReaderB)
                  .in(1, kReaderA)
                  .end(1)
                  .end(2)
                  .violations(),
              IsEmpty());
  EXPECT_THAT(Story()
                  .create(1, kReaderA)
                  .create(2, kWriterB)
                  .in(1, kReaderA)
                  .in(2, kWriterB)
                  .end(1)
                  .end(2)
                  .violations(),
              ElementsAre(kWriterB + " enters while " + kReaderA + " is inside"));
}

TEST(InteropJudgeTest, CountsLeases) {
  const Story both =
      Story().create(1, kLeaseA).create(2, kLeaseB).in(2, kLeaseB).in(1, kLeaseA).end(1).end(2);
  EXPECT_THAT(both.violations(2), IsEmpty());
  EXPECT_THAT(both.violations(1), ElementsAre(kLeaseA + " takes a lease too many"));
}

TEST(InteropJudgeTest, SeesAnEntryOfADeadContender) {
  EXPECT_THAT(Story().create(1, kA).end(1).in(3, kA).violations(),
              ElementsAre(kA + " enters without a znode"));
  EXPECT_THAT(Story().create(1, kA).in(3, kA).end(1).violations(),
              ElementsAre(kA + " enters without a znode"));
  EXPECT_THAT(Story().create(1, kA).in(1, kA).in(1, kA).end(1).violations(),
              ElementsAre(kA + " enters twice"));
}

TEST(InteropJudgeTest, SeesLeftoversAndForeignDeletions) {
  EXPECT_THAT(Story().create(1, kA).violations(), ElementsAre(kA + " is left at the end"));
  EXPECT_THAT(Story().create(1, kA).remove(2, kA).violations(),
              ElementsAre(kA + " is deleted by another session than its own"));
}

}  // namespace
}  // namespace lockstep::interop
