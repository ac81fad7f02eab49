#include "lockstep/wire/jute.h"

#include <utility>

namespace lockstep::wire {

std::string_view name(Malformed how) {
  switch (how) {
    case Malformed::kTruncated: return "ends too early";
    case Malformed::kBadLength: return "an impossible length";
    case Malformed::kUnknownOp: return "an unknown operation";
    case Malformed::kNotThisRecord: return "another kind of message";
  }
  std::unreachable();
}

void Writer::write(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 24; shift >= 0; shift -= 8) out_->push_back(static_cast<char>(bits >> shift));
}

void Writer::write(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out_->push_back(static_cast<char>(bits >> shift));
}

void Writer::write(const std::optional<std::string>& text) {
  write(text ? static_cast<std::int32_t>(text->size()) : -1);
  if (text) out_->append(*text);
}

std::string_view Reader::take(std::size_t count) {
  if (!error_ && bytes_.size() < count) error_ = Malformed::kTruncated;
  if (error_) return {};
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::uint64_t Reader::number(std::size_t size) {
  std::uint64_t value = 0;
  for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

void Reader::read(bool& value) {
  const std::uint64_t byte = number(1);
  if (!error_) value = byte != 0;
}

void Reader::read(std::int32_t& value) {
  const std::uint64_t bits = number(4);
  if (!error_) value = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

void Reader::read(std::int64_t& value) {
  const std::uint64_t bits = number(8);
  if (!error_) value = static_cast<std::int64_t>(bits);
}

void Reader::read(std::optional<std::string>& text) {
  std::int32_t length = 0;
  read(length);
  if (!error_ && length < -1) error_ = Malformed::kBadLength;
  const std::optional<std::size_t> count = within_bytes(length, 1);
  if (error_) return;
  if (!count) return text.reset();
  text.emplace(take(*count));
}

// Java's loop over such a count ends at once (BinaryInputArchive.BinaryIndex.done).
std::optional<std::size_t> Reader::count() {
  std::int32_t count = 0;
  read(count);
  return within_bytes(count < -1 ? 0 : count, kSmallestElement);
}

std::optional<std::size_t> Reader::within_bytes(std::int32_t count, std::size_t element) {
  if (error_ || count == -1) return std::nullopt;
  if (static_cast<std::size_t>(count) > bytes_.size() / element) {
    error_ = Malformed::kBadLength;
    return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

}  // namespace lockstep::wire
