#include "lockstep/text.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep {
namespace {

TEST(TextTest, NullIsNotEmpty) {
  const Text null;
  const Text empty("");
  EXPECT_TRUE(null.is_null());
  EXPECT_FALSE(empty.is_null());
  EXPECT_EQ(null.view(), "");
  EXPECT_EQ(empty.view(), "");
  EXPECT_NE(null, empty);
  EXPECT_EQ(null, Text());
  EXPECT_EQ(empty, Text(""));
  EXPECT_EQ(null.hash(), 0U);
}

TEST(TextTest, EqualityAndHashAreThoseOfTheContent) {
  const Text one("the same content");
  const Text other(std::string("the same ") + "content");
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.hash(), other.hash());
  EXPECT_EQ(one.hash(), text_hash("the same content"));
  EXPECT_NE(one, Text("the same contenT"));
  EXPECT_NE(one, Text("the same conten"));
}

// Memory without pages, since the text is refused before it is read.
TEST(TextDeathTest, FourGibibytesAreMisuse) {
  constexpr std::size_t kTooLong = (std::size_t{1} << 32) + 5;
  void* const memory =
      mmap(nullptr, kTooLong, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string_view content(static_cast<const char*>(memory), kTooLong);
  EXPECT_DEATH(Text{content}, "paths and data are shorter than 4 GiB");
  munmap(memory, kTooLong);
}

TEST(TextTest, JoinsTwoPieces) {
  for (const auto& [head, tail] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"/lock", "/a"}, {"", "/a"}, {"/lock", ""}, {"", ""}, {"12345678", "9"}}) {
    const Text joined(head, tail);
    EXPECT_EQ(joined.view(), std::string(head) + std::string(tail));
    EXPECT_EQ(joined, Text(joined.view()));
    EXPECT_FALSE(joined.is_null());
  }
}

TEST(TextTest, KeepsBytesOfAnyValueAndEndsInANul) {
  const std::string bytes("a\0b\xff\n", 5);
  const Text text(bytes);
  EXPECT_EQ(text.view(), bytes);
  EXPECT_EQ(text.view().size(), 5U);
  EXPECT_EQ(text.view().data()[5], '\0');
}

TEST(TextTest, CopiesShareTheBytesAndOutliveTheOriginal) {
  Text copy;
  const char* bytes = nullptr;
  {
    const Text original("shared");
    bytes = original.view().data();
    copy = original;
    const Text third = copy;
    EXPECT_EQ(third.view().data(), bytes);
  }
  EXPECT_EQ(copy.view().data(), bytes);
  EXPECT_EQ(copy.view(), "shared");
}

TEST(TextTest, MovedFromTextIsNull) {
  Text first("moved");
  const Text second = std::move(first);
  EXPECT_TRUE(first.is_null());
  EXPECT_EQ(second.view(), "moved");
}

TEST(TextTest, AssignmentToItselfAndOverOthersKeepsTheContent) {
  Text text("kept");
  Text& same = text;
  text = same;
  EXPECT_EQ(text.view(), "kept");
  Text other("other");
  other = text;
  EXPECT_EQ(other.view(), "kept");
  other = Text();
  EXPECT_TRUE(other.is_null());
  EXPECT_EQ(text.view(), "kept");
}

TEST(TextTest, IsCopiedAndDroppedByThreadsAtTheSameTime) {
  const Text text("shared between threads");
  const auto copy_often = [&text] {
    for (int i = 0; i < 10'000; ++i) {
      const Text copy = text;
      EXPECT_EQ(copy.view().size(), 22U);
    }
  };
  std::thread other(copy_often);
  copy_often();
  other.join();
  EXPECT_EQ(text.view(), "shared between threads");
}

// Trace hashes depend on it, so compilers and machines must agree.
TEST(TextTest, HashIsTheSameOnEveryMachine) {
  EXPECT_EQ(text_hash(""), 0U);
  EXPECT_EQ(text_hash("/lock"), 0xc4e14dc0b09663bfU);
  EXPECT_EQ(text_hash("12345678"), 0xa38dc147077255e7U);
  EXPECT_EQ(text_hash("/lock/_c_0123-lock-0000000000"), 0xd23a813d90de5094U);
}

TEST(TextTest, HashDependsOnEveryByteAndOnTheLength) {
  fakezk::RandomStream random(20260103);
  for (std::size_t size = 0; size < 40; ++size) {
    std::string content;
    for (std::size_t i = 0; i < size; ++i) content += static_cast<char>(random.below(256));
    std::set<std::uint64_t> hashes{text_hash(content), text_hash(content + 'x')};
    for (std::size_t at = 0; at < size; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string other = content;
        other[at] = static_cast<char>(other[at] ^ (1 << bit));
        hashes.insert(text_hash(other));
      }
    }
    EXPECT_EQ(hashes.size(), 2 + 8 * size);
  }
}

}  // namespace
}  // namespace lockstep
