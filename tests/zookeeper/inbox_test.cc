#include "inbox.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <variant>
#include <vector>

#include "lockstep/async_event.h"
#include "lockstep/task.h"
#include "lockstep/zookeeper/runtime.h"
#include "message.h"

namespace lockstep::zookeeper {
namespace {

// Records the kinds of messages, up to the last one.
class Received final : public Inbox::Receiver {
 public:
  explicit Received(Runtime& runtime) : closed(runtime) {}
  void receive(Message& message) override {
    kinds.push_back(message.index());
    if (std::holds_alternative<ClosedMessage>(message)) closed.set();
  }
  AsyncEvent closed;
  std::vector<std::size_t> kinds;
};

template <class... Kinds>
std::vector<std::size_t> kinds() {
  return {Message(Kinds()).index()...};
}

Task<void> receive_all(Received& received) { static_cast<void>(co_await received.closed.wait()); }

TEST(InboxTest, AttemptsThatFailInARowAreOneMessage) {
  Runtime runtime;
  Received received(runtime);
  Inbox inbox(runtime, received);
  inbox.push(SuspendedMessage());
  for (int i = 0; i < 1000; ++i) inbox.push(AttemptFailedMessage());
  inbox.push(SuspendedMessage());
  for (int i = 0; i < 1000; ++i) inbox.push(AttemptFailedMessage());
  inbox.push(GivenUpMessage());
  inbox.push(ClosedMessage());
  runtime.run(receive_all(received));
  EXPECT_EQ(received.kinds, (kinds<SuspendedMessage, AttemptFailedMessage, SuspendedMessage,
                                   AttemptFailedMessage, GivenUpMessage, ClosedMessage>()));
}

}  // namespace
}  // namespace lockstep::zookeeper
