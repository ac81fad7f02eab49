#include "address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace lockstep::zookeeper {

namespace {

constexpr const char* kMappedPrefix = "::ffff:";

// As the C client looks it up (zookeeper.c, resolve_hosts).
bool resolves(const std::string& ip) {
  addrinfo hints{};
  hints.ai_flags = AI_ADDRCONFIG;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_protocol = IPPROTO_TCP;
  addrinfo* found = nullptr;
  if (getaddrinfo(ip.c_str(), "1", &hints, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

}  // namespace

std::optional<Address> Address::from(const std::string& ip, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(ip.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    return std::nullopt;
  }
  Address address;
  address.ip_ = ip;
  address.port_ = port;
  std::memcpy(&address.address_, found->ai_addr, found->ai_addrlen);
  address.size_ = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

Address::Spelling Address::spelling_for_c_client(const std::string& ipv4) {
  return !resolves(ipv4) && resolves(kMappedPrefix + ipv4) ? Spelling::kMapped : Spelling::kPlain;
}

std::string Address::for_c_client(Spelling spelling) const {
  const std::string port = ":" + std::to_string(port_);
  if (family() != AF_INET || spelling == Spelling::kPlain) return ip_ + port;
  std::array<char, INET_ADDRSTRLEN> dotted{};
  const auto* const address = reinterpret_cast<const sockaddr_in*>(&address_);
  inet_ntop(AF_INET, &address->sin_addr, dotted.data(), dotted.size());
  return std::string(kMappedPrefix) + dotted.data() + port;
}

std::string Address::text() const {
  return (family() == AF_INET6 ? "[" + ip_ + "]" : ip_) + ":" + std::to_string(port_);
}

}  // namespace lockstep::zookeeper
