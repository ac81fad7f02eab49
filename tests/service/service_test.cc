// Clients of other libraries against the simulated servers behind sockets.
#include "lockstep/service/service.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "raw_session.h"
#include "served.h"

namespace lockstep::service {
namespace {

TEST(ServiceTest, KazooCreatesWatchesExpiresAndComesBack) {
  Service service({.servers = 3});
  std::thread serving([&] { service.run(); });
  const std::string command =
      "/usr/bin/python3 " LOCKSTEP_KAZOO_SESSION " " + service.addresses().front();
  EXPECT_EQ(std::system(command.c_str()), 0);
  service.stop();
  serving.join();
}

TEST(ServiceTest, APortInUseIsAnError) {
  const Service first({});
  ServiceOptions same{.port = first.ports().front()};
  EXPECT_THROW(Service{same}, std::system_error);
}

// The ids and passwords of one service mean nothing to the next.
TEST(ServiceTest, ANewServiceDoesNotKnowTheSessionsOfTheOneBefore) {
  std::optional<Served> served;
  ServiceOptions options{.port = served.emplace().service().ports().front()};
  const RawSession before(options.port);
  served.reset();
  served.emplace(options);
  RawSession other(options.port);
  EXPECT_NE(other.id(), before.id());
  const RawSession again(options.port, before);
  EXPECT_EQ(again.id(), 0);
  EXPECT_EQ(other.exists("/"), 0);
}

}  // namespace
}  // namespace lockstep::service
