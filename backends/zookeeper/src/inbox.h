#pragma once

#include <deque>
#include <mutex>

#include "lockstep/zookeeper/runtime.h"
#include "message.h"

namespace lockstep::zookeeper {

// Carries messages from the C client's threads to the loop's thread. Delivers one, lets everything
// run that it woke, delivers the next. Its size is bounded by what the session sends and watches:
// answers by its ReplyWindow, events by the number of its watches (SessionOptions::packet_limit).
class Inbox final : public Runnable {
 public:
  class Receiver {
   public:
    virtual void receive(Message& message) = 0;

   protected:
    ~Receiver() = default;
  };

  Inbox(Runtime& runtime, Receiver& receiver) : runtime_(runtime), receiver_(receiver) {}
  // On the loop's thread, when nothing pushes any more.
  ~Inbox() override { runtime_.withdraw(*this); }

  // From any thread.
  void push(Message message);

 private:
  void run() override;

  Runtime& runtime_;
  Receiver& receiver_;
  std::mutex mutex_;
  std::deque<Message> messages_;  // While it is not empty, this is in the runtime's queue.
};

}  // namespace lockstep::zookeeper
