#include <gtest/gtest.h>

#include <vector>

#include "fuzz/play.h"
#include "lockstep/fakezk/random_stream.h"

// Runs the fuzzer's target on random bytes, in every build and without a fuzzer.
namespace lockstep::fuzz {
namespace {

std::vector<std::uint8_t> random_bytes(fakezk::RandomStream& random) {
  std::vector<std::uint8_t> bytes(random.below(400));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

TEST(FuzzTest, RandomBytesKeepTheGuarantees) {
  fakezk::RandomStream random(1);
  std::uint64_t answered = 0;
  std::uint64_t checked = 0;
  for (int input = 0; input < 5000; ++input) {
    const std::vector<std::uint8_t> bytes = random_bytes(random);
    const Played first = play(bytes);
    ASSERT_EQ(first.complaint, "") << "input " << input;
    ASSERT_EQ(play(bytes).trace_hash, first.trace_hash) << "input " << input;
    answered += first.answered;
    checked += first.checked;
  }
  EXPECT_GT(answered, 50'000U);
  EXPECT_GT(checked, 2'000U);
}

}  // namespace
}  // namespace lockstep::fuzz
