#pragma once

#include <cstddef>

#include "lockstep/request.h"

namespace lockstep::zookeeper {

// Bounds the memory of answers that have arrived and are not looked at yet, by bounding what is
// asked for at once: what the session does not let out the server need not answer. (A list of the
// children, asked for by each of thousands of contenders at once, is the same long list thousands
// of times.) Holding the C client's threads up instead would bound nothing: it reads on and keeps
// the bytes in a queue of its own, as it must, since the session's pings depend on it.
//
// How much the server will answer is judged by its last answers to requests of that kind.
class ReplyWindow {
 public:
  // The most that the answers to requests under way may take, in bytes.
  static constexpr std::size_t kLimit = std::size_t{8} << 20;

  // What an answer to such a request is expected to take.
  [[nodiscard]] std::size_t expected(OpCode op) const noexcept;
  // Whether one more may be sent now. True if nothing is under way.
  [[nodiscard]] bool has_room_for(OpCode op) const noexcept {
    return under_way_ == 0 || under_way_ + expected(op) <= kLimit;
  }
  // A request is sent of whose answer so much is expected.
  void sent(std::size_t expected_bytes) noexcept { under_way_ += expected_bytes; }
  // It is over.
  void over(std::size_t expected_bytes) noexcept { under_way_ -= expected_bytes; }
  // The answer took so many bytes besides what every answer takes.
  void learn(OpCode op, std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kAtFirst = std::size_t{64} << 10;

  // Only these two answers have no small bound.
  std::size_t list_ = kAtFirst;
  std::size_t data_ = kAtFirst;
  std::size_t under_way_ = 0;
};

}  // namespace lockstep::zookeeper
