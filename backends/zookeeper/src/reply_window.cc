#include "reply_window.h"

#include <algorithm>

namespace lockstep::zookeeper {

namespace {

// The size of a message with short texts.
constexpr std::size_t kEach = 512;

// Grows immediately and shrinks slowly, because long and short answers may alternate.
std::size_t next_guess(std::size_t guess, std::size_t bytes) {
  constexpr std::size_t kSlowness = 16;
  return bytes >= guess ? bytes : guess - (guess - bytes) / kSlowness;
}

}  // namespace

std::size_t ReplyWindow::expected(OpCode op) const noexcept {
  if (op == OpCode::kGetChildren) return kEach + list_;
  if (op == OpCode::kGetData) return kEach + data_;
  return kEach;
}

void ReplyWindow::learn(OpCode op, std::size_t bytes) noexcept {
  if (op == OpCode::kGetChildren) list_ = std::max(kLeast, next_guess(list_, bytes));
  if (op == OpCode::kGetData) data_ = std::max(kLeast, next_guess(data_, bytes));
}

}  // namespace lockstep::zookeeper
