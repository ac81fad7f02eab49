#include "lockstep/internal/frame_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::internal {
namespace {

constexpr std::size_t kSize = 200;
// No block rests for as long as this.
constexpr int kMany = 1000;

// Each test has its own pool, which is empty.
class FramePoolTest : public testing::Test {
 protected:
  ~FramePoolTest() override { pool_.drain(); }

  FramePool pool_;
};

TEST_F(FramePoolTest, BlocksThatAreHeldTogetherDoNotOverlap) {
  std::vector<char*> blocks;
  for (int i = 0; i < kMany; ++i) {
    blocks.push_back(static_cast<char*>(pool_.allocate(kSize)));
    std::memset(blocks.back(), i % 128, kSize);
  }
  for (int i = 0; i < kMany; ++i) {
    EXPECT_TRUE(std::all_of(blocks[i], blocks[i] + kSize, [i](char c) { return c == i % 128; }));
  }
  for (char* const block : blocks) pool_.release(block, kSize);
}

TEST_F(FramePoolTest, AReleasedBlockIsReused) {
  std::vector<void*> seen;
  for (int i = 0; i < kMany; ++i) {
    void* const block = pool_.allocate(kSize);
    if (std::ranges::find(seen, block) == seen.end()) seen.push_back(block);
    pool_.release(block, kSize);
  }
  EXPECT_LT(seen.size(), kMany / 10U);
}

#ifdef LOCKSTEP_POISON_FRAMES
TEST_F(FramePoolTest, TheSanitizerSeesAUseAfterTheRelease) {
  char* const block = static_cast<char*>(pool_.allocate(kSize));
  EXPECT_FALSE(__asan_address_is_poisoned(block));
  pool_.release(block, kSize);
  EXPECT_TRUE(__asan_address_is_poisoned(block));
  EXPECT_TRUE(__asan_address_is_poisoned(block + kSize - 1));
}

TEST_F(FramePoolTest, UnderTheSanitizerABlockRestsBeforeItIsReused) {
  constexpr std::size_t kSizeOfNoOther = 3000;
  void* const block = pool_.allocate(kSizeOfNoOther);
  pool_.release(block, kSizeOfNoOther);
  for (int i = 0; i < 32; ++i) {
    void* const next = pool_.allocate(kSizeOfNoOther);
    EXPECT_NE(next, block);
    pool_.release(next, kSizeOfNoOther);
  }
}

TEST_F(FramePoolTest, TheSanitizerSeesAccessesBeyondAReusedBlock) {
  std::vector<char*> blocks;
  for (int i = 0; i < kMany; ++i) blocks.push_back(static_cast<char*>(pool_.allocate(kSize)));
  for (char* const block : blocks) pool_.release(block, kSize);
  char* const block = static_cast<char*>(pool_.allocate(kSize));
  EXPECT_FALSE(__asan_address_is_poisoned(block + kSize - 1));
  EXPECT_TRUE(__asan_address_is_poisoned(block + kSize));
  pool_.release(block, kSize);
}
#endif

}  // namespace
}  // namespace lockstep::internal
