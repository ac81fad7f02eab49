#include "lockstep/fakezk/leader_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

namespace lockstep::fakezk {
namespace {

// A log whose entries change that many znodes each.
LeaderLog log_of(std::initializer_list<std::size_t> changes) {
  LeaderLog log;
  for (const std::size_t count : changes) {
    Txn txn;
    txn.change_count = count;
    log.add(txn);
  }
  return log;
}

TEST(LeaderLogTest, EntriesWithoutAChangeAreNoWritesButGoWithThem) {
  const LeaderLog log = log_of({1, 0, 2, 0});
  EXPECT_EQ(log.forgettable(), 2u);
  EXPECT_EQ(log.end_without(0), 4u);
  EXPECT_EQ(log.end_without(1), 2u);
  EXPECT_EQ(log.end_without(2), 0u);
}

TEST(LeaderLogTest, KeptEntriesAreNotForgotten) {
  LeaderLog log = log_of({1, 1});
  log.keep();
  EXPECT_EQ(log.forgettable(), 0u);
  Txn write;
  write.change_count = 1;
  log.add(write);
  EXPECT_EQ(log.forgettable(), 1u);
  EXPECT_EQ(log.end_without(9), 2u);
  log.clear();
  log.add(write);
  EXPECT_EQ(log.forgettable(), 1u);
}

TEST(LeaderLogTest, AtMostKMostForgottenWritesCanBeForgotten) {
  LeaderLog log;
  Txn write;
  write.change_count = 1;
  for (std::uint32_t i = 0; i < LeaderLog::kMostForgotten + 3; ++i) log.add(write);
  EXPECT_EQ(log.forgettable(), LeaderLog::kMostForgotten);
  EXPECT_EQ(log.end_without(LeaderLog::kMostForgotten + 1), 3u);
}

TEST(LeaderLogTest, CutsBackAndShowsWhatFollows) {
  LeaderLog log = log_of({1, 2, 3});
  EXPECT_EQ(log.after(1).size(), 2u);
  EXPECT_EQ(log.after(1).front().change_count, 2u);
  EXPECT_TRUE(log.after(7).empty());
  log.cut_back(1);
  EXPECT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].change_count, 1u);
}

}  // namespace
}  // namespace lockstep::fakezk
