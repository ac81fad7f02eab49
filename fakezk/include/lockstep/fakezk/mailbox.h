#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "lockstep/fakezk/fifo.h"

namespace lockstep::fakezk {

// Messages under way, oldest first. Each stays where it was made until whoever has taken it drops
// it: messages are large, and every one is made, read once and forgotten.
template <class Message>
class Mailbox {
 public:
  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  [[nodiscard]] const Message& front() const { return *messages_.front(); }
  [[nodiscard]] const Message& operator[](std::size_t index) const { return *messages_[index]; }

  template <class... Arguments>
  Message& emplace(Arguments&&... arguments) {
    return put(std::make_unique<Message>(std::forward<Arguments>(arguments)...));
  }
  Message& put(std::unique_ptr<Message> message) { return *messages_.emplace(std::move(message)); }
  [[nodiscard]] std::unique_ptr<Message> take() { return messages_.pop(); }
  // Keeps the first `count` messages.
  void truncate(std::size_t count) { messages_.truncate(count); }
  void clear() noexcept { messages_.clear(); }

 private:
  Fifo<std::unique_ptr<Message>> messages_;
};

}  // namespace lockstep::fakezk
