#include "lockstep/wire/frames.h"

#include "lockstep/wire/jute.h"

namespace lockstep::wire {

namespace {

constexpr std::size_t kLengthSize = 4;

}  // namespace

void append_frame(std::string& stream, std::string_view frame) {
  Writer writer(stream);
  writer(static_cast<std::int32_t>(frame.size()));
  stream.append(frame);
}

void FrameReader::feed(std::string_view bytes) {
  if (refused_) return;
  bytes_.erase(0, start_);
  start_ = 0;
  bytes_.append(bytes);
}

std::optional<std::string_view> FrameReader::next() {
  if (refused_ || pending() < kLengthSize) return std::nullopt;
  const std::string_view held = std::string_view(bytes_).substr(start_);
  Reader reader(held);
  std::int32_t length = 0;
  reader(length);
  if (length < 0 || static_cast<std::size_t>(length) > limit_) {
    refused_ = length;
    start_ = 0;
    bytes_ = std::string();
    return std::nullopt;
  }
  const std::size_t size = kLengthSize + static_cast<std::size_t>(length);
  if (held.size() < size) return std::nullopt;
  start_ += size;
  return held.substr(kLengthSize, static_cast<std::size_t>(length));
}

}  // namespace lockstep::wire
