#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>

#include "address.h"
#include "descriptor.h"
#include "zookeeper/connection_lab.h"

// Opening a session on hosts whose loopback interface is unusual. A forked child with a network of
// its own plays such a host, where the kernel permits that; a machine that forbids it runs only the
// parts that need no network.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;

constexpr int kForbidden = 100;

bool has_own_network() { return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }

void bring_up_loopback() {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  ioctl(socket.get(), SIOCSIFFLAGS, &request);
}

bool add_to_loopback(const char* ipv6) {
  const Descriptor socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  in6_ifreq request{};
  inet_pton(AF_INET6, ipv6, &request.ifr6_addr);
  request.ifr6_prefixlen = 64;
  request.ifr6_ifindex = static_cast<int>(if_nametoindex("lo"));
  return ioctl(socket.get(), SIOCSIFADDR, &request) == 0;
}

// 0 if a client of that server ends with `reason` in its last failure.
int give_up(const std::string& server, const std::string& reason) {
  Runtime runtime;
  Options options(server, std::chrono::seconds(1));
  options.retry = RetryPolicy::none();
  Client client(runtime, options);
  if (error_of(connection_lab::open(runtime, client)) != Error::kNotConnected) return 1;
  return client.last_failure().find(reason) != std::string::npos ? 0 : 2;
}

template <class Body>
int status_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The C client's look-up refuses IPv4 addresses there (AI_ADDRCONFIG), and the gate has one.
TEST(OwnNetworkTest, AHostWithIpv6OnlyReachesItsServers) {
  const int status = status_in_child([] {
    if (!has_own_network()) return kForbidden;
    bring_up_loopback();
    if (!add_to_loopback("fd00::5")) return kForbidden;
    if (Address::spelling_for_c_client("127.64.0.4") != Address::Spelling::kMapped) return 3;
    return give_up("[fd00::5]:1", "[fd00::5]:1: Connection refused");
  });
  EXPECT_TRUE(status == 0 || status == kForbidden) << status;
  EXPECT_EQ(Address::from("127.64.0.4", 1)->for_c_client(Address::Spelling::kMapped),
            "::ffff:127.64.0.4:1");
}

TEST(OwnNetworkTest, APolicyEndsOpeningWithoutALoopbackInterface) {
  const int status = status_in_child([] {
    if (!has_own_network()) return kForbidden;
    return give_up("127.0.0.1:1", "this process: the C client does not reach the gate");
  });
  EXPECT_TRUE(status == 0 || status == kForbidden) << status;
}

}  // namespace
}  // namespace lockstep::zookeeper
