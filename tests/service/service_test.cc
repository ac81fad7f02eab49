// Clients of other libraries against the simulated servers behind sockets.
#include "lockstep/service/service.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>

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
  ServiceOptions same;
  same.port = first.ports().front();
  EXPECT_THROW(Service{same}, std::system_error);
}

}  // namespace
}  // namespace lockstep::service
