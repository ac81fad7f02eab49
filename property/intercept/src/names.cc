#include <arpa/inet.h>
#include <netdb.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "calls.h"
#include "handled.h"
#include "real.h"

// The host resolves host names. A service is a port number; names of services are not supported.

namespace lockstep::intercept {

namespace {

// The whole result in one allocation, which freeaddrinfo() releases.
struct Answer {
  addrinfo info;
  sockaddr_in address;
};

std::uint16_t port_of(const char* service) {
  return service ? static_cast<std::uint16_t>(std::strtoul(service, nullptr, 10)) : 0;
}

addrinfo* answer(Execution& execution, const char* node, const char* service,
                 const addrinfo* hints) {
  auto* const made = new Answer{};
  made->address.sin_family = AF_INET;
  made->address.sin_port = htons(port_of(service));
  if (!node || inet_pton(AF_INET, node, &made->address.sin_addr) != 1) {
    made->address.sin_addr = execution.host().address_of(node ? node : "localhost");
  }
  made->info.ai_family = AF_INET;
  made->info.ai_socktype = hints && hints->ai_socktype != 0 ? hints->ai_socktype : SOCK_STREAM;
  made->info.ai_protocol = IPPROTO_TCP;
  made->info.ai_addrlen = sizeof made->address;
  made->info.ai_addr = reinterpret_cast<sockaddr*>(&made->address);
  return &made->info;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getaddrinfo)(node, service, hints, result));
  if (hints && hints->ai_family == AF_INET6) return EAI_FAMILY;
  *result = answer(*execution, node, service, hints);
  return 0;
}

void freeaddrinfo(addrinfo* info) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(freeaddrinfo)(info));
  delete reinterpret_cast<Answer*>(info);
}

}  // extern "C"

LOCKSTEP_LINKED(names)
