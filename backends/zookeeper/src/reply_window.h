#pragma once

#include <cstddef>

#include "lockstep/request.h"

namespace lockstep::zookeeper {

// Bounds the memory for answers that have arrived but not been read, by bounding the requests in
// flight: the server answers only what the session sends. (If thousands of contenders list the same
// children, the same long list arrives thousands of times.) Blocking the C client's threads would
// bound nothing: the C client must keep reading, for the session's pings, and would queue the bytes
// itself.
//
// The size of an answer is predicted from the last answers to requests of that kind, but never
// below kLeast: each contender that joins lengthens the lists in flight, and a burst admitted by
// the size of the first ones would take many times the limit.
class ReplyWindow {
 public:
  // The most bytes that answers to the requests in flight may take.
  static constexpr std::size_t kLimit = std::size_t{8} << 20;

  [[nodiscard]] std::size_t expected(OpCode op) const noexcept;
  // Whether another request may be sent now. True if nothing is in flight.
  [[nodiscard]] bool has_room_for(OpCode op) const noexcept {
    return under_way_ == 0 || under_way_ + expected(op) <= kLimit;
  }
  // Counts a request whose answer is expected to have this size.
  void sent(std::size_t expected_bytes) noexcept { under_way_ += expected_bytes; }
  // Ends that request.
  void over(std::size_t expected_bytes) noexcept { under_way_ -= expected_bytes; }
  // Records that an answer took this many bytes in addition to kEach.
  void learn(OpCode op, std::size_t bytes) noexcept;

 private:
  // Only these two kinds of answers have no small bound. 250 of them may always be in flight.
  static constexpr std::size_t kLeast = kLimit / 256;

  std::size_t list_ = kLeast;
  std::size_t data_ = kLeast;
  std::size_t under_way_ = 0;
};

}  // namespace lockstep::zookeeper
