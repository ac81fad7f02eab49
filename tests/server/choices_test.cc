#include "lockstep/fakezk/choices.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::fakezk {
namespace {

// Answers each kind of question with a different number.
class Answers final : public Chooser {
 public:
  Choice next(const Menu&) override { return {}; }
  std::uint32_t number(std::uint32_t) override { return 5; }
  std::uint32_t order(std::uint32_t) override { return 1; }
  std::uint32_t shortcut(std::uint32_t) override { return 2; }
};

TEST(ChoicesTest, OutsideOfStepsEveryNumberIsTheDefaultAndLeavesNoTrace) {
  TraceRecord record;
  Choices choices(record);
  EXPECT_EQ(choices.number(9), 0u);
  EXPECT_EQ(choices.shortcut(9), 0u);
  Answers answers;
  choices.begin_step(answers);
  choices.end_step();
  EXPECT_EQ(choices.order(9), 0u);
  EXPECT_EQ(record.positions(), 0u);
  EXPECT_EQ(record.hash(), 0u);
}

TEST(ChoicesTest, TheChooserOfTheStepAnswersByKindAndTheRecordHasItsAnswers) {
  TraceRecord record;
  Choices choices(record);
  Answers answers;
  choices.begin_step(answers);
  EXPECT_EQ(choices.number(9), 5u);
  EXPECT_EQ(choices.order(9), 1u);
  EXPECT_EQ(choices.shortcut(9), 2u);
  const std::vector<Deviation> all = {{0, {false, 5}}, {1, {false, 1}}, {2, {false, 2}}};
  EXPECT_EQ(record.deviations(), all);
}

TEST(ChoicesTest, AnyNumberIsAValidAnswer) {
  TraceRecord record;
  Choices choices(record);
  Answers answers;
  choices.begin_step(answers);
  EXPECT_EQ(choices.number(3), 2u);
  EXPECT_EQ(record.deviations().back().choice.index, 2u);
}

TEST(ChoicesTest, TheChooserIsNotAskedWithoutAChoice) {
  TraceRecord record;
  Choices choices(record);
  Answers answers;
  choices.begin_step(answers);
  EXPECT_EQ(choices.number(1), 0u);
  EXPECT_EQ(choices.number(0), 0u);
  EXPECT_EQ(record.positions(), 0u);
}

TEST(ChoicesTest, AChoiceNeedsAnOption) {
  EXPECT_EQ(Choices::within(7, 1), 0u);
  EXPECT_DEATH(static_cast<void>(Choices::within(0, 0)), "a choice needs an option");
}

}  // namespace
}  // namespace lockstep::fakezk
