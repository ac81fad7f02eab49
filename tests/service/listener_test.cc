#include "listener.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>

namespace lockstep::service {
namespace {

// While it lives, no file descriptor is free; those that are open stay open.
class NoFreeDescriptor {
 public:
  NoFreeDescriptor() {
    getrlimit(RLIMIT_NOFILE, &usual_);
    rlimit none = usual_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoFreeDescriptor() { setrlimit(RLIMIT_NOFILE, &usual_); }
  NoFreeDescriptor(const NoFreeDescriptor&) = delete;
  NoFreeDescriptor& operator=(const NoFreeDescriptor&) = delete;

 private:
  rlimit usual_{};
};

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
    const NoFreeDescriptor none;
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
