#include "address.h"

#include <netdb.h>

#include <cstring>

namespace lockstep::zookeeper {

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

std::string Address::text() const {
  return (family() == AF_INET6 ? "[" + ip_ + "]" : ip_) + ":" + std::to_string(port_);
}

}  // namespace lockstep::zookeeper
