#include <arpa/inet.h>
#include <netdb.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "calls.h"
#include "handled.h"
#include "real.h"

// The host resolves host names, except those of this machine.

namespace lockstep::intercept {

namespace {

// The whole result in one allocation, which freeaddrinfo() releases.
struct Answer {
  addrinfo info;
  sockaddr_in address;
  std::string name;
};

// A service is a port number. Returns none for other services.
std::optional<std::uint16_t> port_of(const char* service) {
  if (!service) return 0;
  const std::string_view text = service;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), port);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return port;
}

int flags_of(const addrinfo* hints) { return hints ? hints->ai_flags : 0; }

// With AI_PASSIVE, a null host means all interfaces, so a server that binds to the answer is also
// found at the address of "localhost". Returns none if hints permit only numbers and the host is
// none.
std::optional<in_addr> address_of(Execution& execution, const char* node, int flags) {
  const bool is_passive = (flags & AI_PASSIVE) != 0;
  if (!node) return in_addr{htonl(is_passive ? INADDR_ANY : INADDR_LOOPBACK)};
  in_addr address{};
  if (inet_pton(AF_INET, node, &address) == 1) return address;
  if ((flags & AI_NUMERICHOST) != 0) return std::nullopt;
  if (std::string_view(node) == "localhost") return in_addr{htonl(INADDR_LOOPBACK)};
  return execution.host().address_of(node);
}

addrinfo* answer(const char* node, in_addr address, std::uint16_t port, const addrinfo* hints) {
  auto* const made = new Answer{};
  made->address.sin_family = AF_INET;
  made->address.sin_port = htons(port);
  made->address.sin_addr = address;
  made->info.ai_family = AF_INET;
  made->info.ai_socktype = hints && hints->ai_socktype != 0 ? hints->ai_socktype : SOCK_STREAM;
  made->info.ai_protocol = IPPROTO_TCP;
  made->info.ai_addrlen = sizeof made->address;
  made->info.ai_addr = reinterpret_cast<sockaddr*>(&made->address);
  if (node && (flags_of(hints) & AI_CANONNAME) != 0) {
    made->name = node;
    made->info.ai_canonname = made->name.data();
  }
  return &made->info;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getaddrinfo)(node, service, hints, result));
  if (hints && hints->ai_family == AF_INET6) return EAI_FAMILY;
  if (!node && !service) return EAI_NONAME;
  const std::optional<std::uint16_t> port = port_of(service);
  if (!port) return EAI_SERVICE;
  const std::optional<in_addr> address = address_of(*execution, node, flags_of(hints));
  if (!address) return EAI_NONAME;
  *result = answer(node, *address, *port, hints);
  return 0;
}

void freeaddrinfo(addrinfo* info) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(freeaddrinfo)(info));
  delete reinterpret_cast<Answer*>(info);
}

// Addresses have no names, and ports none either.
int getnameinfo(const sockaddr* address, socklen_t length, char* host, socklen_t host_size,
                char* service, socklen_t service_size, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getnameinfo)(address, length, host, host_size,
                                                           service, service_size, flags));
  if ((flags & NI_NAMEREQD) != 0) return EAI_NONAME;
  return LOCKSTEP_REAL(getnameinfo)(address, length, host, host_size, service, service_size,
                                    flags | NI_NUMERICHOST | NI_NUMERICSERV);
}

}  // extern "C"

LOCKSTEP_LINKED(names)
