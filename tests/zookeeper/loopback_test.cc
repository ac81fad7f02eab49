#include "real/loopback.h"

#include <gtest/gtest.h>

#include <chrono>
#include <system_error>

#include "support/no_free_descriptor.h"

namespace lockstep::support {
namespace {

using namespace std::chrono_literals;

// There, a search for a free port would not end.
TEST(LoopbackTest, AProcessThatCanOpenNoSocketGetsAnError) {
  const NoFreeDescriptor none;
  EXPECT_EQ(listen_on(0), -1);
  EXPECT_EQ(connect_to(1, 1ms), -1);
  EXPECT_THROW(static_cast<void>(free_port()), std::system_error);
  EXPECT_THROW(static_cast<void>(refusing_port()), std::system_error);
}

}  // namespace
}  // namespace lockstep::support
