#include "lockstep/sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/fakezk/random_stream.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using unit::error_of;

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();

// A list as a server might give it.
class List final : public Children::Storage {
 public:
  explicit List(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) names.push_back(text);
  }

 private:
  std::vector<std::string> texts_;
};
Children list(std::vector<std::string> names) {
  return Children(internal::Ref<List>::make(std::move(names)));
}

// ---------------------------------------------------------------------------- sequence_number

TEST(SequenceNumberTest, IsWhatFollowsTheMark) {
  EXPECT_EQ(sequence_number("_c_guid-lock-0000000007", kLockMark), 7);
  EXPECT_EQ(sequence_number("-lock-0000000000", kLockMark), 0);
  EXPECT_EQ(sequence_number("x-lock-2147483647", kLockMark), kMost);
  EXPECT_EQ(sequence_number("x__WRIT__0000000012", "__WRIT__"), 12);
}

TEST(SequenceNumberTest, MayBeNegativeOnceTheCounterHasOverflowed) {
  EXPECT_EQ(sequence_number("x-lock--2147483648", kLockMark), kLeast);
  EXPECT_EQ(sequence_number("x-lock--000000001", kLockMark), -1);
  EXPECT_EQ(sequence_number("x__WRIT__-2147483648", "__WRIT__"), kLeast);
  EXPECT_EQ(sequence_number("lease-00-0000000001", "__WRIT__"), std::nullopt);
}

TEST(SequenceNumberTest, LastMarkCounts) {
  EXPECT_EQ(sequence_number("a-lock-0000000001-lock-0000000002", kLockMark), 2);
  EXPECT_EQ(sequence_number("-lock--lock-0000000003", kLockMark), 3);
}

TEST(SequenceNumberTest, AZnodeThatIsNoContenderHasNone) {
  for (const char* const name :
       {"", "config", "-lock-", "x-lock-12a", "x-lock-a12", "x-lock", "x-locks-0000000001",
        "x-LOCK-0000000001", "0000000001", "x-lock-0000000001 ", "x-lock---0000000001",
        "x-lock-2147483648", "x-lock--2147483649", "x-lock-99999999999", "x-lock-+000000001"}) {
    EXPECT_EQ(sequence_number(name, kLockMark), std::nullopt) << name;
  }
}

TEST(SequenceNumberTest, ReadsBackEveryNumberThatTheServerWrites) {
  fakezk::PathTable paths;
  fakezk::RandomStream random(20260106);
  for (int i = 0; i < 2'000; ++i) {
    const auto number = static_cast<std::int32_t>(random.next());
    const fakezk::PathId id = paths.intern_sequential(Text("/q/x-lock-"), number);
    EXPECT_EQ(sequence_number(paths.name(id), kLockMark), number);
  }
}

TEST(SequenceNumberTest, EveryByteMustBeADigit) {
  const std::string good = "x-lock-0000000042";
  for (std::size_t at = good.size() - 10; at < good.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      if (byte >= '0' && byte <= '9') continue;
      std::string bad = good;
      bad[at] = static_cast<char>(byte);
      std::optional<std::int32_t> expected;
      if (byte == '-' && at == good.size() - 10) expected = -42;
      EXPECT_EQ(sequence_number(bad, kLockMark), expected) << at << " " << byte;
    }
  }
}

// ----------------------------------------------------------------------------------- precedes

// Z32: by the number, never by the text of the name.
TEST(PrecedesTest, IsTheOrderOfTheCounterAcrossItsOverflow) {
  EXPECT_TRUE(precedes(0, 1));
  EXPECT_FALSE(precedes(1, 0));
  EXPECT_FALSE(precedes(5, 5));
  EXPECT_TRUE(precedes(kMost, kLeast));  // 2147483647, then -2147483648.
  EXPECT_FALSE(precedes(kLeast, kMost));
  EXPECT_TRUE(precedes(-1, 0));
  EXPECT_TRUE(precedes(kMost - 5, kLeast + 5));
}

// -------------------------------------------------------------------------------- position_of

TEST(PositionTest, FirstHasNoContenderAhead) {
  const Children queue = list({"b-lock-0000000002", "a-lock-0000000001"});
  const auto position = position_of("a-lock-0000000001", kLockMark, queue);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 0U);
  EXPECT_EQ(position->predecessor, "");
}

TEST(PositionTest, PredecessorIsTheNearestNumberWhateverTheNames) {
  const Children queue = list({"z-lock-0000000001", "m-lock-0000000005", "a-lock-0000000009",
                               "b-lock-0000000007", "c-lock-0000000003"});
  const auto position = position_of("b-lock-0000000007", kLockMark, queue);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 3U);
  EXPECT_EQ(position->predecessor, "m-lock-0000000005");
}

TEST(PositionTest, PredecessorIsFoundAcrossTheOverflow) {
  const Children queue =
      list({"a-lock--2147483648", "b-lock-2147483647", "c-lock--2147483647", "d-lock-2147483646"});
  const auto position = position_of("a-lock--2147483648", kLockMark, queue);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 2U);
  EXPECT_EQ(position->predecessor, "b-lock-2147483647");
}

TEST(PositionTest, OtherChildrenDoNotCount) {
  const Children queue = list({"config", "a-read-0000000000", "x-lock-", "b-lock-0000000001"});
  const auto position = position_of("b-lock-0000000001", kLockMark, queue);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 0U);
}

TEST(PositionTest, AGrantOfTheSameHolderDoesNotCount) {
  const Children queue =
      list({"a__READ__0000000001", "b__WRIT__0000000002", "c__WRIT__0000000003"});
  const auto position =
      position_of("c__WRIT__0000000003", kReadWriteMarks, queue, "a__READ__0000000001");
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 1U);
  EXPECT_EQ(position->predecessor, "b__WRIT__0000000002");
}

TEST(PositionTest, TheWriterOfADowngradedReaderDoesNotCount) {
  const Children queue =
      list({"a__READ__0000000001", "b__WRIT__0000000001", "c__WRIT__0000000003"});
  const auto position =
      position_of("c__WRIT__0000000003", kReadWriteMarks, queue, "a__READ__0000000001");
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->ahead, 0U);
  EXPECT_EQ(position->exclusive_ahead, 0U);
}

TEST(PositionTest, WithoutItsOtherGrantAContenderHasNone) {
  const Children queue = list({"b__READ__0000000002", "c__WRIT__0000000003"});
  const std::string_view ours = "c__WRIT__0000000003";
  EXPECT_EQ(error_of(position_of(ours, kReadWriteMarks, queue, "a__READ__0000000001")),
            Error::kNoNode);
}

TEST(PositionTest, AContenderOutsideTheListHasNone) {
  const Children queue = list({"a-lock-0000000001", "b-lock-0000000003"});
  EXPECT_EQ(error_of(position_of("c-lock-0000000002", kLockMark, queue)), Error::kNoNode);
  EXPECT_EQ(error_of(position_of("x-lock-0000000001", kLockMark, queue)), Error::kNoNode);
  EXPECT_EQ(error_of(position_of("a-lock-0000000001", kLockMark, Children())), Error::kNoNode);
  EXPECT_EQ(error_of(position_of("config", kLockMark, queue)), Error::kBadArguments);
}

// Compares with the definition: sorted by number, the one before ours.
TEST(PositionTest, IsThePlaceInTheSortedQueueWhateverTheOrderOfTheList) {
  fakezk::RandomStream random(20260107);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t start = static_cast<std::int32_t>(random.next());
    std::vector<std::string> sorted;
    fakezk::PathTable paths;
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto number = static_cast<std::int32_t>(static_cast<std::uint32_t>(start) + 3 * i);
      const std::string prefix = "/q/" + std::string(Guid(random).view()) + "-lock-";
      sorted.emplace_back(paths.name(paths.intern_sequential(Text(prefix), number)));
    }
    std::vector<std::string> shown = sorted;
    std::ranges::sort(shown);
    const Children queue = list(shown);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto position = position_of(sorted[i], kLockMark, queue);
      ASSERT_TRUE(position.has_value());
      EXPECT_EQ(position->ahead, i);
      EXPECT_EQ(position->predecessor, i == 0 ? "" : sorted[i - 1]);
    }
  }
}

// --------------------------------------------------------------------------- kinds of contenders

TEST(ContenderTest, IsRecognizedByItsMark) {
  EXPECT_EQ(contender("x-lock-0000000007", kMutexMarks)->number, 7);
  EXPECT_EQ(contender("x-lock-0000000007", kReadWriteMarks), std::nullopt);
  EXPECT_EQ(contender("_c_g-__READ__0000000003", kReadWriteMarks)->share, Share::kShared);
  EXPECT_EQ(contender("_c_g-__WRIT__0000000003", kReadWriteMarks)->share, Share::kExclusive);
  const std::array marks = {Mark{kLockMark, Share::kExclusive}, Mark{"__lock__", Share::kExclusive},
                            Mark{"__rlock__", Share::kShared}};
  EXPECT_EQ(contender("0a1b__rlock__0000000009", marks)->share, Share::kShared);
  EXPECT_EQ(contender("0a1b__lock__0000000009", marks)->number, 9);
}

TEST(ContenderTest, ReadersAreBlockedByWritersOnly) {
  const Contender reader{1, Share::kShared};
  const Contender writer{2, Share::kExclusive};
  EXPECT_TRUE(blocks(reader, writer));
  EXPECT_FALSE(blocks(writer, reader));
  EXPECT_TRUE(blocks(writer, {3, Share::kShared}));
  EXPECT_TRUE(blocks(writer, {3, Share::kExclusive}));
  EXPECT_FALSE(blocks(reader, {3, Share::kShared}));
  EXPECT_FALSE(blocks(writer, {2, Share::kShared}));  // A reader in its writer's place.
}

TEST(PositionTest, NearestBlockerIsTheOneToWatch) {
  const Children queue =
      list({"a-__READ__0000000001", "b-__WRIT__0000000002", "c-__READ__0000000003",
            "d-__READ__0000000004", "e-__WRIT__0000000005", "config"});
  const auto reader = position_of("d-__READ__0000000004", kReadWriteMarks, queue);
  EXPECT_EQ(reader->ahead, 1U);
  EXPECT_EQ(reader->predecessor, "b-__WRIT__0000000002");
  EXPECT_EQ(reader->foreign, "config");
  const auto writer = position_of("e-__WRIT__0000000005", kReadWriteMarks, queue);
  EXPECT_EQ(writer->ahead, 4U);
  EXPECT_EQ(writer->exclusive_ahead, 1U);
  EXPECT_EQ(writer->predecessor, "d-__READ__0000000004");
  const auto upgrader =
      position_of("e-__WRIT__0000000005", kReadWriteMarks, queue, "d-__READ__0000000004");
  EXPECT_EQ(upgrader->ahead, 3U);
  EXPECT_EQ(upgrader->predecessor, "c-__READ__0000000003");
}

// ----------------------------------------------------------------------------- in_queue_order

TEST(QueueOrderTest, WhoeverIsBlockedByNoContenderHoldsWhereverTheNumbersAre) {
  fakezk::RandomStream random(20261129);
  fakezk::PathTable paths;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> names;
    const std::uint64_t spread = random.next() % 3;
    const std::uint64_t size = random.next() % 8;
    for (std::uint64_t at = 0; at < size; ++at) {
      const std::uint64_t draw = random.next();
      const auto near = static_cast<std::int32_t>(draw % 6) - 3;
      const auto far = static_cast<std::int32_t>(static_cast<std::uint32_t>(draw) & 0xC0000001U);
      const std::int32_t number = spread == 0 ? near : far;
      const Text stem = random.next() % 4 == 0 ? Text("/q/x__WRIT__") : Text("/q/x__READ__");
      names.emplace_back(paths.name(paths.intern_sequential(stem, number)));
    }
    const auto queue = in_queue_order("/q", kReadWriteMarks, list(names));
    for (const QueueEntry& entry : queue) {
      const bool blocked = std::ranges::any_of(
          queue, [&](const QueueEntry& other) { return blocks(other.contender, entry.contender); });
      EXPECT_EQ(entry.holds, !blocked) << entry.znode.view();
    }
  }
}

TEST(QueueOrderTest, AQueueOfManyReadersIsNotComparedPairByPair) {
  fakezk::PathTable paths;
  std::vector<std::string> names;
  for (std::int32_t number = 0; number < 200'000; ++number) {
    names.emplace_back(paths.name(paths.intern_sequential(Text("/q/x__READ__"), number)));
  }
  const auto queue = in_queue_order("/q", kReadWriteMarks, list(std::move(names)));
  EXPECT_EQ(std::ranges::count(queue, true, &QueueEntry::holds), 200'000);
}

}  // namespace
}  // namespace lockstep
