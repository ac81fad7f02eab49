#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "allocations/own_heap.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/search/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::search {
namespace {

constexpr std::uint64_t kSeed = 1;
// By then every queue and list has had its full length, and every kind of frame has been made.
constexpr std::uint64_t kWarmUp = 6000;
constexpr std::uint64_t kMeasured = 1000;

class AllocationsTest : public testing::TestWithParam<StrategyName> {};

TEST_P(AllocationsTest, AnExecutionAllocatesNothingInTheSteadyState) {
  const scenarios::Scenario* const scenario = scenarios::find("fair-mutex");
  Searcher searcher(scenario->make({.clients = 3, .rounds = 1}), GetParam().make(),
                    ExecutionLimits(), kSeed);
  for (std::uint64_t i = 0; i < kWarmUp; ++i) static_cast<void>(searcher.run(i));
  ASSERT_GT(heap::allocations, 0U) << "nothing is counted";
  const std::size_t before = heap::allocations;
  for (std::uint64_t i = kWarmUp; i < kWarmUp + kMeasured; ++i) {
    const Outcome outcome = searcher.run(i);
    ASSERT_FALSE(outcome.violation);
  }
  EXPECT_EQ(heap::allocations - before, 0U);
}

std::string name_of(const testing::TestParamInfo<StrategyName>& strategy) {
  return std::string(strategy.param.name);
}

// The user of a lock makes paths and tasks that end on the thread of its sessions.
TEST(FramePoolTest, BlocksThatAnotherThreadReleasesDoNotPileUp) {
  constexpr std::size_t kSize = 300;
  constexpr std::size_t kFrames = 1000;
  constexpr int kRounds = 20;
  const std::ptrdiff_t before = heap::held;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<void*> frames(kFrames);
    std::thread([&frames] {
      for (void*& frame : frames) frame = internal::allocate_frame(kSize);
    }).join();
    for (void* const frame : frames) internal::release_frame(frame, kSize);
  }
  EXPECT_LT(heap::held - before, static_cast<std::ptrdiff_t>(4 * kFrames));
}

TEST(FramePoolTest, AThreadThatOnlyReleasesGivesAllBackAtItsEnd) {
  constexpr std::size_t kSize = 300;
  const std::ptrdiff_t before = heap::held;
  for (int round = 0; round < 20; ++round) {
    std::array<void*, 8> frames{};
    for (void*& frame : frames) frame = internal::allocate_frame(kSize);
    std::thread([&frames] {
      for (void* const frame : frames) internal::release_frame(frame, kSize);
    }).join();
  }
  EXPECT_LT(heap::held - before, 20);
}

// The limit counts the bytes of free blocks of all sizes together. The sanitizer's pool has no
// limit: its blocks rest.
#ifndef LOCKSTEP_POISON_FRAMES
TEST(FramePoolTest, AThreadKeepsNoMoreThanAMegabyteThatItDoesNotUse) {
  constexpr std::size_t kStep = 16;  // The sizes of neighbouring lists differ by this.
  constexpr std::size_t kLargest = 4096;
  constexpr int kOfEach = 200;
  constexpr std::ptrdiff_t kMegabyte = 1 << 20;
  std::ptrdiff_t used = 0;
  std::ptrdiff_t kept = 0;
  std::thread([&used, &kept] {
    const std::ptrdiff_t before = heap::held_bytes;
    std::vector<void*> frames;
    frames.reserve(kOfEach);
    for (std::size_t size = kStep; size <= kLargest; size += kStep) {
      const std::ptrdiff_t idle = heap::held_bytes;
      for (int i = 0; i < kOfEach; ++i) frames.push_back(internal::allocate_frame(size));
      used += heap::held_bytes - idle;
      for (void* const frame : frames) internal::release_frame(frame, size);
      frames.clear();
    }
    kept = heap::held_bytes - before;
  }).join();
  EXPECT_GT(used, 20 * kMegabyte);
  // The heap rounds up, and the list of frames is also a block.
  EXPECT_LT(kept, kMegabyte + kMegabyte / 4);
  EXPECT_GT(kept, kMegabyte / 2);
}
#endif

INSTANTIATE_TEST_SUITE_P(Strategies, AllocationsTest,
                         testing::ValuesIn(strategies().begin(), strategies().end()), name_of);

}  // namespace
}  // namespace lockstep::search
