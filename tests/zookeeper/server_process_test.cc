#include "real/server_process.h"

#include <gtest/gtest.h>

#include <system_error>

#include "real/temporary_directory.h"
#include "support/no_free_descriptor.h"

namespace lockstep::support {
namespace {

// A server without a log would write between the lines of this process.
TEST(ServerProcessTest, AServerThatCannotHaveALogIsNotStarted) {
  const TemporaryDirectory directory;
  ServerProcess server(directory.path());
  {
    const NoFreeDescriptor none;
    EXPECT_THROW(server.start(), std::system_error);
  }
  EXPECT_FALSE(server.started());
}

}  // namespace
}  // namespace lockstep::support
