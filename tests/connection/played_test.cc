// Plays random bytes, and bytes that a fuzzer has kept, on connections.
#include "connection/played.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep::connection {
namespace {

TEST(PlayedTest, ServersStillServeAfterRandomBytes) {
  fakezk::RandomStream random(1);
  std::size_t frames = 0;
  std::size_t opened = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<std::uint8_t> bytes(random.below(3000));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    const Played played = play(bytes);
    EXPECT_EQ(played.complaint, "") << "run " << run;
    frames += played.frames;
    opened += played.opened;
  }
  EXPECT_GT(opened, 300U);
  EXPECT_GT(frames, 2 * opened);
}

// tests/connection/corpus holds the merged inputs of a long run of libFuzzer (see docs/serve.md).
TEST(PlayedTest, ServersStillServeAfterTheInputsOfAFuzzer) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_CONNECTION_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    EXPECT_EQ(play(bytes).complaint, "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10U);
}

}  // namespace
}  // namespace lockstep::connection
