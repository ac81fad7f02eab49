#include "lockstep/judge/contender_lives.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace lockstep::judge {
namespace {

using fakezk::Change;
using Kind = Change::Kind;

// A hand-written history of the ephemeral znodes of session 7.
class ContenderLivesTest : public ::testing::Test {
 protected:
  ContenderLivesTest() { lives_.begin(paths_); }

  void happens(Kind kind, const Path& znode, Zxid zxid, SessionId actor = 7) {
    history_.push_back({.kind = kind,
                        .path = paths_->intern(znode.text()),
                        .zxid = zxid,
                        .actor = actor,
                        .owner = 7});
    lives_.follow(history_, [this](const Change&, const ContenderLife& life) {
      ended_.push_back(life.created);
    });
  }

  std::shared_ptr<fakezk::PathTable> paths_ = std::make_shared<fakezk::PathTable>();
  fakezk::History history_;
  ContenderLives lives_{mutex_rules()};
  std::vector<Zxid> ended_;  // The znodes whose end was reported, by the zxids of their creation.
  const Path place_{"/lock/x-lock-0000000001"};
};

TEST_F(ContenderLivesTest, AReusedNameIsAnotherLife) {
  happens(Kind::kCreated, place_, 1);
  happens(Kind::kDeleted, place_, 2);
  EXPECT_EQ(lives_.living(place_), nullptr);
  happens(Kind::kCreated, place_, 3);
  ASSERT_EQ(lives_.size(), 2u);
  EXPECT_EQ(lives_.find(place_, 1), &lives_[0]);
  EXPECT_EQ(lives_.living(place_), &lives_[1]);
  EXPECT_EQ(lives_.index_of(*lives_.find(place_, 3)), 1u);
  EXPECT_TRUE(lives_[0].gone_at(2));
  EXPECT_FALSE(lives_[0].gone_at(1));
  EXPECT_EQ(ended_, std::vector<Zxid>{1});
}

TEST_F(ContenderLivesTest, ADeletionThatTheServersForgetIsAnAbsence) {
  happens(Kind::kCreated, place_, 1);
  happens(Kind::kDeleted, place_, 2);
  happens(Kind::kCreated, place_, 5, fakezk::kForgetfulness);
  ASSERT_EQ(lives_.size(), 1u);
  EXPECT_FALSE(lives_[0].gone_at(1));
  EXPECT_TRUE(lives_[0].gone_at(2));
  EXPECT_TRUE(lives_[0].gone_at(4));
  EXPECT_FALSE(lives_[0].gone_at(5));
  EXPECT_EQ(lives_.living(place_), &lives_[0]);
}

TEST_F(ContenderLivesTest, ACreationThatTheServersForgetEndsWithoutATransaction) {
  happens(Kind::kCreated, place_, 1);
  happens(Kind::kDeleted, place_, 5, fakezk::kForgetfulness);
  EXPECT_TRUE(lives_[0].forgotten);
  EXPECT_EQ(ended_, std::vector<Zxid>{1});
}

TEST_F(ContenderLivesTest, OnlyContendersLiveAndOnlyTheyChangeAQueue) {
  happens(Kind::kCreated, Path("/lock/other"), 1);
  happens(Kind::kDeleted, Path("/lock/other"), 2);
  EXPECT_EQ(lives_.size(), 0u);
  EXPECT_EQ(lives_.changes(), 0u);
  EXPECT_TRUE(ended_.empty());
  happens(Kind::kCreated, place_, 3);
  happens(Kind::kDataSet, place_, 4);
  EXPECT_EQ(lives_[0].touched, 4);
  happens(Kind::kDeleted, place_, 6);
  EXPECT_EQ(lives_.changes(), 2u);
  EXPECT_EQ(lives_.changes_until(2), 0u);
  EXPECT_EQ(lives_.changes_until(5), 1u);
  EXPECT_EQ(lives_.changes_until(6), 2u);
}

TEST_F(ContenderLivesTest, ANewExecutionBeginsWithoutLives) {
  happens(Kind::kCreated, place_, 1);
  lives_.begin(paths_);
  history_.clear();
  EXPECT_EQ(lives_.size(), 0u);
  EXPECT_EQ(lives_.changes(), 0u);
  happens(Kind::kCreated, place_, 1);
  EXPECT_EQ(lives_.size(), 1u);
}

}  // namespace
}  // namespace lockstep::judge
