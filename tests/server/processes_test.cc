#include "lockstep/fakezk/processes.h"

#include <gtest/gtest.h>

#include <vector>

#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {
namespace {

using namespace std::chrono_literals;

class Letters final : public ProcessNames {
 public:
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return std::string(1, static_cast<char>('A' + process));
  }
};

class ProcessesTest : public ::testing::Test {
 protected:
  World world_;
  WorldTime time_;
  WorkLoop work_{world_};
  Processes processes_{world_, work_, time_};
};

TEST_F(ProcessesTest, CountsEachStalledProcessOnce) {
  Process& a = processes_.add();
  Process& b = processes_.add();
  EXPECT_TRUE(a.stall(TimePoint(5s)));
  EXPECT_FALSE(a.stall(TimePoint(9s)));
  EXPECT_TRUE(b.stall(TimePoint(7s)));
  EXPECT_EQ(processes_.stalled(), 2u);
  EXPECT_FALSE(processes_.any_wakes_before(TimePoint(5s)));
  EXPECT_TRUE(processes_.any_wakes_before(TimePoint(6s)));
  EXPECT_TRUE(a.wake());
  EXPECT_FALSE(a.wake());
  EXPECT_EQ(processes_.stalled(), 1u);
  EXPECT_FALSE(processes_.any_wakes_before(TimePoint(6s)));
  processes_.reset();
  EXPECT_EQ(processes_.stalled(), 0u);
}

TEST_F(ProcessesTest, ALinkIsStalledWithItsProcess) {
  Process& a = processes_.add();
  Process& b = processes_.add();
  for (const Process* const owner : {&a, &b, &a}) processes_.add_link(*owner);
  a.stall(TimePoint(5s));
  EXPECT_TRUE(processes_.stalled(LinkIndex{0}));
  EXPECT_FALSE(processes_.stalled(LinkIndex{1}));
  std::vector<LinkIndex> links;
  processes_.each_link_of(a, [&](LinkIndex link) { links.push_back(link); });
  EXPECT_EQ(links, (std::vector<LinkIndex>{0, 2}));
}

TEST_F(ProcessesTest, ACheckpointKeepsRandomStreamsAndTheOwnersOfLinks) {
  Process& a = processes_.add();
  processes_.add();
  processes_.add_link(processes_[1]);
  static_cast<void>(a.random().next());
  const Processes::Checkpoint checkpoint = processes_.checkpoint();
  const std::uint64_t next = a.random().next();
  processes_.add();
  processes_.add_link(a);
  a.clock().drift(true);
  EXPECT_FALSE(processes_.at_rest());

  processes_.reset_to(checkpoint);
  EXPECT_TRUE(processes_.at_rest());
  EXPECT_EQ(processes_.size(), 2u);
  EXPECT_EQ(processes_.of_link(0), 1u);
  EXPECT_EQ(processes_[0].random().next(), next);
}

TEST_F(ProcessesTest, AResetForgetsNamesAndBeginsEveryStreamAgain) {
  const std::uint64_t first = processes_.add().random().next();
  const Letters letters;
  processes_.set_names(&letters);
  EXPECT_EQ(processes_.name(0), "A");
  processes_.set_acting(0);
  processes_.reset();
  EXPECT_EQ(processes_.size(), 0u);
  EXPECT_EQ(processes_.acting(), Processes::kNoProcess);
  EXPECT_EQ(processes_.add().random().next(), first);
  EXPECT_EQ(processes_.name(0), "process 0");
}

}  // namespace
}  // namespace lockstep::fakezk
