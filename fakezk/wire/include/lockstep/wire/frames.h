#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::wire {

// A frame on a byte stream: its length, four bytes, then its bytes.
void append_frame(std::string& stream, std::string_view frame);

// Finds the frames of a byte stream that arrives in arbitrary fragments. It holds no more than what
// it was fed and has not given out yet, whatever length a frame claims.
class FrameReader {
 public:
  // jute.maxbuffer's default: longer frames are refused.
  static constexpr std::size_t kUsualLimit = 0xfffff;
  explicit FrameReader(std::size_t limit = kUsualLimit) : limit_(limit) {}

  // The next bytes of the stream.
  void feed(std::string_view bytes);
  // The next frame, until the next call of either; none if it has not arrived, or was refused.
  [[nodiscard]] std::optional<std::string_view> next();

  // The length that was refused, because it is negative or exceeds the limit. The stream cannot be
  // followed any more, and what is fed is dropped.
  [[nodiscard]] const std::optional<std::int32_t>& refused() const { return refused_; }
  // Bytes fed and not given out.
  [[nodiscard]] std::size_t pending() const { return bytes_.size() - start_; }

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t start_ = 0;
  std::optional<std::int32_t> refused_;
};

}  // namespace lockstep::wire
