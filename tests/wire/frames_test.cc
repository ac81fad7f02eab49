#include "lockstep/wire/frames.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {
namespace {

using namespace std::string_literals;

// The frames that a reader finds when the stream arrives in fragments of these sizes.
template <class SizeOfNext>
std::vector<std::string> frames_in(std::string_view stream, SizeOfNext size_of_next) {
  std::vector<std::string> frames;
  FrameReader reader;
  while (!stream.empty()) {
    const std::string_view fragment = stream.substr(0, size_of_next());
    stream.remove_prefix(fragment.size());
    reader.feed(fragment);
    while (const auto frame = reader.next()) frames.emplace_back(*frame);
  }
  EXPECT_EQ(reader.pending(), 0U);
  return frames;
}

TEST(FramesTest, AnyFragmentsGiveTheSameFrames) {
  const std::vector<std::string> frames = {"", "a", std::string(1000, 'x'), "", "\0\0\0\4four"s};
  std::string stream;
  for (const std::string& frame : frames) append_frame(stream, frame);
  for (std::size_t size = 1; size < 40; ++size) {
    EXPECT_EQ(frames_in(stream, [size] { return size; }), frames) << size;
  }
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 200; ++attempt) {
    EXPECT_EQ(frames_in(stream, [&random] { return random() % 30; }), frames) << attempt;
  }
}

TEST(FramesTest, ALengthBeyondTheLimitEndsTheStream) {
  FrameReader reader(10);
  reader.feed("\0\0\0\nexactly 10\0\0\0\v"s);
  EXPECT_EQ(reader.next(), "exactly 10");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.refused(), 11);
  reader.feed(std::string(1000, '\0'));
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.pending(), 0U);
}

TEST(FramesTest, BombsAreRefusedAtTheirLength) {
  for (const std::uint32_t length : {0x80000000U, 0xffffffffU, 0x7fffffffU, 0x00100000U}) {
    FrameReader reader;
    std::string stream;
    for (int shift = 24; shift >= 0; shift -= 8)
      stream.push_back(static_cast<char>(length >> shift));
    reader.feed(stream);
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.refused(), static_cast<std::int32_t>(length));
  }
}

TEST(FramesTest, AFrameThatHasNotArrivedIsNotGivenOut) {
  FrameReader reader;
  reader.feed("\0\0\0\2a"s);
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.refused(), std::nullopt);
  EXPECT_EQ(reader.pending(), 5U);
  reader.feed("b\0"s);
  EXPECT_EQ(reader.next(), "ab");
  EXPECT_EQ(reader.next(), std::nullopt);
}

}  // namespace
}  // namespace lockstep::wire
