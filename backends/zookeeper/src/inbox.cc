#include "inbox.h"

#include <utility>

namespace lockstep::zookeeper {

void Inbox::push(Message message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
  if (messages_.size() == 1) runtime_.post_as_outside(*this);
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
