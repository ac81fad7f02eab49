#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::zookeeper {

// A numeric IP address and a port.
class Address {
 public:
  // nullopt if `ip` is not a numeric address ("10.0.0.1", "::1", "fe80::1%eth0").
  [[nodiscard]] static std::optional<Address> from(const std::string& ip, std::uint16_t port);

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  [[nodiscard]] socklen_t size() const { return size_; }
  [[nodiscard]] int family() const { return address_.ss_family; }

  // For people: "10.0.0.1:2181", "[::1]:2181".
  [[nodiscard]] std::string text() const;
  // How the C client takes IPv4 addresses. It looks up even numeric ones, with AI_ADDRCONFIG: on a
  // host with an IPv6 address and no IPv4 one but 127.0.0.1, glibc refuses them unless they are
  // written as IPv6 (RFC 4291, "IPv4-Mapped IPv6 Address").
  enum class Spelling : std::uint8_t { kPlain, kMapped };
  // The one for that address, at this moment: the addresses of the host may change.
  [[nodiscard]] static Spelling spelling_for_c_client(const std::string& ipv4);
  // For the C client, which splits at the last colon and would take brackets as part of a name
  // (zookeeper.c, resolve_hosts).
  [[nodiscard]] std::string for_c_client(Spelling spelling) const;

  friend bool operator==(const Address& a, const Address& b) {
    return a.port_ == b.port_ && a.ip_ == b.ip_;
  }

 private:
  std::string ip_;
  std::uint16_t port_ = 0;
  sockaddr_storage address_{};
  socklen_t size_ = 0;
};

}  // namespace lockstep::zookeeper
