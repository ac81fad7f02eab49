#include "lockstep/random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep {
namespace {

// Returns the numbers that the test gives it.
class Script final : public Random {
 public:
  explicit Script(std::vector<std::uint64_t> draws) : draws_(std::move(draws)) {}
  std::uint64_t next() override { return draws_.at(used_++); }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> draws_;
  std::size_t used_ = 0;
};

TEST(GuidTest, PutsEveryBitButSixIntoIts36Characters) {
  Script zeros({0, 0});
  EXPECT_EQ(Guid(zeros).view(), "00000000-0000-4000-8000-000000000000");
  Script ones({~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_EQ(Guid(ones).view(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  Script digits({0x0123456789abcdef, 0x0123456789abcdef});
  EXPECT_EQ(Guid(digits).view(), "01234567-89ab-4def-8123-456789abcdef");
}

TEST(GuidTest, TakesTwoDraws) {
  Script script({1, 2, 3});
  static_cast<void>(Guid(script));
  EXPECT_EQ(script.used(), 2U);
}

TEST(GuidTest, IsAlwaysVersionFourVariantOne) {
  fakezk::RandomStream random(20260104);
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    const Guid guid(random);
    const std::string_view text = guid.view();
    ASSERT_EQ(text.size(), 36U);
    ASSERT_EQ(text[14], '4');
    ASSERT_NE(std::string_view("89ab").find(text[19]), std::string_view::npos);
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) ASSERT_EQ(text[dash], '-');
    ASSERT_EQ(text.find_first_not_of("0123456789abcdef-"), std::string_view::npos);
    seen.emplace(text);
  }
  EXPECT_EQ(seen.size(), 10'000U);
}

// The published test vector of SplitMix64 with seed 1234567.
TEST(RandomStreamTest, IsSplitMix64) {
  fakezk::RandomStream random(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
        16408922859458223821u}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(RandomStreamTest, SameSeedSameNumbers) {
  fakezk::RandomStream one(5);
  fakezk::RandomStream other(6);
  EXPECT_NE(one.next(), other.next());
  other.reseed(5);
  one.reseed(5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.next(), other.next());
}

TEST(RandomStreamTest, BelowCoversItsRangeEvenly) {
  fakezk::RandomStream random(20260105);
  for (const std::uint32_t bound : {1u, 2u, 7u, 100u}) {
    std::vector<int> counts(bound);
    const int draws = 1000 * static_cast<int>(bound);
    for (int i = 0; i < draws; ++i) ++counts.at(random.below(bound));
    for (const int count : counts) EXPECT_NEAR(count, 1000, 200) << bound;
  }
}

}  // namespace
}  // namespace lockstep
