#include "inbox.h"

#include <utility>
#include <variant>

namespace lockstep::zookeeper {

// Posts without the lock, for which the loop would have to wait. No other push posts meanwhile:
// only run() empties the list, and run() is not posted yet.
void Inbox::push(Message message) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (repeats_the_last(message)) return;
    messages_.push_back(std::move(message));
    first = messages_.size() == 1;
  }
  if (first) runtime_.post_as_outside(*this);
}

bool Inbox::repeats_the_last(const Message& message) const {
  return std::holds_alternative<AttemptFailedMessage>(message) && !messages_.empty() &&
         std::holds_alternative<AttemptFailedMessage>(messages_.back());
}

void Inbox::run() {
  std::unique_lock lock(mutex_);
  Message message = std::move(messages_.front());
  messages_.pop_front();
  if (!messages_.empty()) runtime_.post_as_outside(*this);
  lock.unlock();
  receiver_.receive(message);
}

}  // namespace lockstep::zookeeper
