#pragma once

#include <deque>
#include <mutex>

#include "lockstep/zookeeper/runtime.h"
#include "message.h"

namespace lockstep::zookeeper {

// Carries messages from the C client's threads to the loop's thread. Delivers one message, lets all
// work run that it woke, and delivers the next. What the session sends and watches bounds its size:
// ReplyWindow the answers, SessionOptions::packet_limit the watches and thereby the events. While
// nobody runs the loop, it also grows with each connection, but not with the attempts to get one.
class Inbox final : public Runnable {
 public:
  class Receiver {
   public:
    virtual void receive(Message& message) = 0;

   protected:
    ~Receiver() = default;
  };

  Inbox(Runtime& runtime, Receiver& receiver) : runtime_(runtime), receiver_(receiver) {}
  // On the loop's thread, after the last push.
  ~Inbox() override { runtime_.withdraw(*this); }

  // From any thread. A failed attempt that follows another one in the queue tells nothing new, and
  // is dropped.
  void push(Message message);

 private:
  [[nodiscard]] bool repeats_the_last(const Message& message) const;
  void run() override;

  Runtime& runtime_;
  Receiver& receiver_;
  std::mutex mutex_;
  std::deque<Message> messages_;  // While it is not empty, this is in the runtime's queue.
};

}  // namespace lockstep::zookeeper
