#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "small_world.h"

// Names of hosts.

namespace lockstep::intercept {
namespace {

std::string answer_to(const char* node, const char* service, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(node, service, &hints, &found);
  if (error != 0) return ::gai_strerror(error);
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof address);
  ::freeaddrinfo(found);
  return std::string(::inet_ntoa(address.sin_addr)) + ":" + std::to_string(ntohs(address.sin_port));
}

TEST(InterceptedNamesTest, ThisMachineHasItsAddresses) {
  run_in_orders([] {
    EXPECT_EQ(answer_to(nullptr, "2181", 0), "127.0.0.1:2181");
    EXPECT_EQ(answer_to(nullptr, "2181", AI_PASSIVE), "0.0.0.0:2181");
    EXPECT_EQ(answer_to("localhost", "2181", 0), "127.0.0.1:2181");
    EXPECT_EQ(answer_to("127.0.0.1", nullptr, AI_NUMERICHOST), "127.0.0.1:0");
    EXPECT_EQ(answer_to("elsewhere", "2181", AI_NUMERICHOST), ::gai_strerror(EAI_NONAME));
    EXPECT_EQ(answer_to(nullptr, nullptr, 0), ::gai_strerror(EAI_NONAME));
    EXPECT_EQ(answer_to("127.0.0.1", "zookeeper", 0), ::gai_strerror(EAI_SERVICE));
  });
}

TEST(InterceptedNamesTest, AHostIsItsOwnCanonicalName) {
  run_in_orders([] {
    addrinfo hints{};
    hints.ai_flags = AI_CANONNAME;
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo("127.0.0.1", "80", &hints, &found), 0);
    EXPECT_STREQ(found->ai_canonname, "127.0.0.1");
    ::freeaddrinfo(found);
  });
}

TEST(InterceptedNamesTest, AddressesHaveNoNames) {
  run_in_orders([] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(80);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    std::array<char, 64> host{};
    std::array<char, 16> service{};
    EXPECT_EQ(::getnameinfo(generic, sizeof address, host.data(), host.size(), service.data(),
                            service.size(), 0),
              0);
    EXPECT_STREQ(host.data(), "127.0.0.1");
    EXPECT_STREQ(service.data(), "80");
    EXPECT_EQ(
        ::getnameinfo(generic, sizeof address, host.data(), host.size(), nullptr, 0, NI_NAMEREQD),
        EAI_NONAME);
  });
}

TEST(InterceptedNamesTest, AServerIsFoundWhereItBinds) {
  run_in_orders([] {
    addrinfo hints{};
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo(nullptr, "2181", &hints, &found), 0);
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(listener, found->ai_addr, found->ai_addrlen), 0);
    EXPECT_EQ(::listen(listener, 1), 0);
    ::freeaddrinfo(found);
    for (const char* const node : {"localhost", "127.0.0.1", "0.0.0.0"}) {
      ASSERT_EQ(::getaddrinfo(node, "2181", nullptr, &found), 0);
      const int client = ::socket(AF_INET, SOCK_STREAM, 0);
      EXPECT_EQ(::connect(client, found->ai_addr, found->ai_addrlen), 0) << node;
      ::freeaddrinfo(found);
      ::close(client);
    }
    ::close(listener);
  });
}

}  // namespace
}  // namespace lockstep::intercept
