#include "listener.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "support/no_free_descriptor.h"

namespace lockstep::service {
namespace {

// poll() returns when nothing can be done at once. It would never return if the listener retried at
// once.
TEST(ListenerTest, PausesWithoutADescriptorAndThenServesWaitingClients) {
  boost::asio::io_context context;
  int arrived = 0;
  Listener listener(context, {boost::asio::ip::address_v4::loopback(), 0},
                    [&](const Listener::Tcp::socket&) { ++arrived; });
  Listener::Tcp::socket client(context);
  client.connect(listener.endpoint());
  {
    const support::NoFreeDescriptor none;
    listener.start();
    context.poll();
    EXPECT_EQ(arrived, 0);
  }
  while (arrived == 0) ASSERT_GT(context.run_one(), 0U);
  listener.close();
  context.run();
}

}  // namespace
}  // namespace lockstep::service
