#include "lockstep/internal/frame_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::internal {
namespace {

constexpr std::size_t kSize = 200;
// Longer than any block rests.
constexpr int kMany = 1000;

TEST(FramePoolTest, BlocksThatAreHeldTogetherDoNotOverlap) {
  std::vector<char*> blocks;
  for (int i = 0; i < kMany; ++i) {
    blocks.push_back(static_cast<char*>(allocate_frame(kSize)));
    std::memset(blocks.back(), i % 128, kSize);
  }
  for (int i = 0; i < kMany; ++i) {
    EXPECT_TRUE(std::all_of(blocks[i], blocks[i] + kSize, [i](char c) { return c == i % 128; }));
  }
  for (char* const block : blocks) release_frame(block, kSize);
}

TEST(FramePoolTest, WhatIsReleasedIsUsedAgain) {
  std::vector<void*> seen;
  for (int i = 0; i < kMany; ++i) {
    void* const block = allocate_frame(kSize);
    if (std::ranges::find(seen, block) == seen.end()) seen.push_back(block);
    release_frame(block, kSize);
  }
  EXPECT_LT(seen.size(), kMany / 10U);
}

#ifdef LOCKSTEP_POISON_FRAMES
TEST(FramePoolTest, TheSanitizerSeesAUseAfterTheRelease) {
  char* const block = static_cast<char*>(allocate_frame(kSize));
  EXPECT_FALSE(__asan_address_is_poisoned(block));
  release_frame(block, kSize);
  EXPECT_TRUE(__asan_address_is_poisoned(block));
  EXPECT_TRUE(__asan_address_is_poisoned(block + kSize - 1));
}

TEST(FramePoolTest, UnderTheSanitizerABlockRestsBeforeItIsUsedAgain) {
  constexpr std::size_t kSizeOfNoOther = 3000;
  void* const block = allocate_frame(kSizeOfNoOther);
  release_frame(block, kSizeOfNoOther);
  for (int i = 0; i < 32; ++i) {
    void* const next = allocate_frame(kSizeOfNoOther);
    EXPECT_NE(next, block);
    release_frame(next, kSizeOfNoOther);
  }
}

TEST(FramePoolTest, TheSanitizerSeesWhatLiesBeyondTheEndOfABlockUsedAgain) {
  std::vector<char*> blocks;
  for (int i = 0; i < kMany; ++i) blocks.push_back(static_cast<char*>(allocate_frame(kSize)));
  for (char* const block : blocks) release_frame(block, kSize);
  char* const block = static_cast<char*>(allocate_frame(kSize));
  EXPECT_FALSE(__asan_address_is_poisoned(block + kSize - 1));
  EXPECT_TRUE(__asan_address_is_poisoned(block + kSize));
  release_frame(block, kSize);
}
#endif

}  // namespace
}  // namespace lockstep::internal
