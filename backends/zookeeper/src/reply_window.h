#pragma once

#include <cstddef>

#include "lockstep/request.h"

namespace lockstep::zookeeper {

// Bounds the memory for answers that have arrived but not been read yet, by bounding the requests
// in flight: the server answers only what the session sends. (A list of the children, asked for by
// each of thousands of contenders at once, is the same long list thousands of times.) Blocking the
// C client's threads instead would bound nothing: it reads on and keeps the bytes in its own queue,
// as it must, since the session's pings depend on it.
//
// The size of an answer is predicted from the last answers to requests of that kind, but never
// below kLeast: each contender that joins makes the lists longer that are still under way, and a
// burst admitted by the size of the first ones would take many times the limit.
class ReplyWindow {
 public:
  // The most bytes that the answers to requests in flight may take.
  static constexpr std::size_t kLimit = std::size_t{8} << 20;

  // The expected size of an answer to such a request.
  [[nodiscard]] std::size_t expected(OpCode op) const noexcept;
  // Whether one more may be sent now. True if nothing is in flight.
  [[nodiscard]] bool has_room_for(OpCode op) const noexcept {
    return under_way_ == 0 || under_way_ + expected(op) <= kLimit;
  }
  // A request is sent whose answer is expected to have this size.
  void sent(std::size_t expected_bytes) noexcept { under_way_ += expected_bytes; }
  // That request is over.
  void over(std::size_t expected_bytes) noexcept { under_way_ -= expected_bytes; }
  // The answer took this many bytes in addition to kEach.
  void learn(OpCode op, std::size_t bytes) noexcept;

 private:
  // Only these two answers have no small bound. 250 of them may always be under way.
  static constexpr std::size_t kLeast = kLimit / 256;

  std::size_t list_ = kLeast;
  std::size_t data_ = kLeast;
  std::size_t under_way_ = 0;
};

}  // namespace lockstep::zookeeper
