#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

template <class Message>
class Mailbox;

// Base class of a message in a Mailbox.
template <class Message>
class Mail {
 private:
  friend class Mailbox<Message>;
  Message* behind_ = nullptr;  // the next younger message in the same mailbox
};

// Messages in flight, oldest first: a list linked through the messages themselves. Each message
// stays at its address until its receiver drops it: messages are large, and each is created, read
// once and dropped. Owns its messages.
template <class Message>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(Mailbox&& other) noexcept { swap(other); }
  Mailbox& operator=(Mailbox&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mailbox() { clear(); }

  [[nodiscard]] bool empty() const noexcept { return oldest_ == nullptr; }
  [[nodiscard]] const Message& front() const { return *oldest_; }
  // The number of messages, and one of them, counted from the oldest; both take linear time.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (const Message* message = oldest_; message; message = message->behind_) ++count;
    return count;
  }
  [[nodiscard]] const Message& operator[](std::size_t index) const {
    const Message* message = oldest_;
    for (; index > 0; --index) message = message->behind_;
    return *message;
  }

  template <class... Arguments>
  Message& emplace(Arguments&&... arguments) {
    return put(std::make_unique<Message>(std::forward<Arguments>(arguments)...));
  }
  Message& put(std::unique_ptr<Message> message) {
    Message* const last = message.release();
    (empty() ? oldest_ : youngest_->behind_) = last;
    youngest_ = last;
    return *last;
  }
  [[nodiscard]] std::unique_ptr<Message> take() {
    Message* const first = oldest_;
    oldest_ = std::exchange(first->behind_, nullptr);
    return std::unique_ptr<Message>(first);
  }
  // Calls act(message) for each, the oldest first.
  template <class Act>
  void each(Act act) const {
    for (Message* message = oldest_; message; message = message->behind_) act(*message);
  }
  // Keeps the first `count` messages.
  void truncate(std::size_t count) {
    Mailbox kept;
    for (; count > 0 && !empty(); --count) kept.put(take());
    swap(kept);
  }
  void clear() noexcept {
    if (!empty()) drop_all();
  }

 private:
  [[gnu::noinline]] void drop_all() noexcept {
    while (!empty()) take().reset();
  }
  void swap(Mailbox& other) noexcept {
    std::swap(oldest_, other.oldest_);
    std::swap(youngest_, other.youngest_);
  }

  Message* oldest_ = nullptr;
  Message* youngest_ = nullptr;  // Counts only while there is one.
};

}  // namespace lockstep::fakezk
