#include "lockstep/wire/jute.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {
namespace {

using namespace std::string_literals;

template <class T>
std::string written(const T& value) {
  std::string bytes;
  Writer writer(bytes);
  writer(value);
  return bytes;
}

template <class T>
T read(const std::string& bytes) {
  Reader reader(bytes);
  T value{};
  reader(value);
  EXPECT_EQ(reader.error(), std::nullopt);
  EXPECT_EQ(reader.left(), 0U);
  return value;
}

template <class T>
std::optional<Malformed> error_of(const std::string& bytes) {
  Reader reader(bytes);
  T value{};
  reader(value);
  return reader.error();
}

TEST(JuteTest, NumbersAreBigEndian) {
  EXPECT_EQ(written(std::int32_t{0x01020304}), "\1\2\3\4");
  EXPECT_EQ(written(std::int32_t{-2}), "\xff\xff\xff\xfe");
  EXPECT_EQ(written(std::int64_t{0x0102030405060708}), "\1\2\3\4\5\6\7\10");
  EXPECT_EQ(written(true), "\1");
  EXPECT_EQ(read<std::int32_t>("\xff\xff\xff\xfe"), -2);
  EXPECT_EQ(read<std::int64_t>("\xff\xff\xff\xff\xff\xff\xff\xfe"), -2);
  EXPECT_TRUE(read<bool>("\7"));  // Java takes every byte except 0 for true.
}

TEST(JuteTest, NullIsNotEmpty) {
  EXPECT_EQ(written(Ustring("ab")), "\0\0\0\2ab"s);
  EXPECT_EQ(written(Ustring("")), "\0\0\0\0"s);
  EXPECT_EQ(written(Ustring()), "\xff\xff\xff\xff");
  EXPECT_EQ(read<Ustring>("\xff\xff\xff\xff"), std::nullopt);
  EXPECT_EQ(read<Ustring>("\0\0\0\0"s), "");
  EXPECT_EQ(written(Vector<Ustring>()), "\xff\xff\xff\xff");
  EXPECT_EQ(read<Vector<Ustring>>("\xff\xff\xff\xff"), std::nullopt);
  EXPECT_EQ(read<Vector<Ustring>>("\0\0\0\0"s), std::vector<Ustring>());
  EXPECT_EQ(read<Vector<Ustring>>("\0\0\0\2\0\0\0\1x\xff\xff\xff\xff"s),
            std::vector<Ustring>({"x", std::nullopt}));
}

TEST(JuteTest, ImpossibleLengthsAreRefusedBeforeAnAllocation) {
  for (const char* const bomb : {"\x7f\xff\xff\xff", "\0\0\0\5"}) {
    const std::string bytes = std::string(bomb, 4) + "four";
    EXPECT_EQ(error_of<Ustring>(bytes), Malformed::kBadLength);
    EXPECT_EQ(error_of<Vector<Ustring>>(bytes), Malformed::kBadLength);
  }
  EXPECT_EQ(error_of<Vector<Ustring>>("\0\0\0\2\xff\xff\xff\xff"s), Malformed::kBadLength);
}

// BinaryInputArchive's loop over such a count ends at once; a text's length is checked.
TEST(JuteTest, ANegativeCountIsAnEmptyVector) {
  for (const char* const count : {"\x80\0\0\0", "\xff\xff\xff\xfe"}) {
    const std::string bytes(count, 4);
    EXPECT_EQ(error_of<Ustring>(bytes), Malformed::kBadLength);
    EXPECT_EQ(read<Vector<Ustring>>(bytes), std::vector<Ustring>());
  }
}

TEST(JuteTest, TruncatedInputIsAnError) {
  EXPECT_EQ(error_of<std::int32_t>("\0\0\0"s), Malformed::kTruncated);
  EXPECT_EQ(error_of<std::int64_t>("\0\0\0\0\0\0\0"s), Malformed::kTruncated);
  EXPECT_EQ(error_of<bool>(""), Malformed::kTruncated);
  EXPECT_EQ(error_of<Ustring>("\0\0"s), Malformed::kTruncated);
}

TEST(JuteTest, TheFirstErrorStaysAndFieldsKeepTheirValues) {
  const std::string bytes = "\0\0\0\1\x7f\xff\xff\xff"s;
  Reader reader(bytes);
  std::int32_t first = 0;
  Ustring text = "before";
  std::int64_t last = 7;
  reader(first, text, last);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(text, "before");
  EXPECT_EQ(last, 7);
  EXPECT_EQ(reader.error(), Malformed::kBadLength);
  reader.fail(Malformed::kUnknownOp);
  EXPECT_EQ(reader.error(), Malformed::kBadLength);
}

}  // namespace
}  // namespace lockstep::wire
