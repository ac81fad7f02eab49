#include <arpa/inet.h>
#include <netdb.h>

#include <cstring>
#include <string_view>

#include "calls.h"
#include "handled.h"
#include "real.h"

// glibc reads numbers, services and hints: nothing of that needs a network. The host resolves host
// names, except those of this machine. All answers are for TCP unless the hints ask for another
// protocol.

namespace lockstep::intercept {

namespace {

// Asks glibc for a numeric address.
int ask_glibc(const char* address, const char* service, addrinfo hints, addrinfo** result) {
  hints.ai_flags = (hints.ai_flags & ~AI_ADDRCONFIG) | AI_NUMERICHOST;
  if (hints.ai_socktype == 0 && hints.ai_protocol == 0) hints.ai_socktype = SOCK_STREAM;
  return LOCKSTEP_REAL(getaddrinfo)(address, service, &hints, result);
}

// Returns the address that a null host means. With AI_PASSIVE, it is that of all interfaces, so a
// server that binds to it is also found at the address of "localhost".
const char* own_address(const addrinfo& hints) {
  const bool is_passive = (hints.ai_flags & AI_PASSIVE) != 0;
  if (hints.ai_family == AF_INET6) return is_passive ? "::" : "::1";
  return is_passive ? "0.0.0.0" : "127.0.0.1";
}

in_addr address_of(Execution& execution, const char* name) {
  if (std::string_view(name) == "localhost") return in_addr{htonl(INADDR_LOOPBACK)};
  return execution.host().address_of(name);
}

// Puts the address that a name has into an answer for another address.
void set_address(addrinfo& info, in_addr address) {
  if (info.ai_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(info.ai_addr)->sin_addr = address;
    return;
  }
  // AI_V4MAPPED.
  auto* const mapped = reinterpret_cast<sockaddr_in6*>(info.ai_addr);
  std::memcpy(&mapped->sin6_addr.s6_addr[12], &address, sizeof address);
}

// Answers with the address of a name, which is one of IPv4.
int find_name(Execution& execution, const char* name, const char* service, const addrinfo& hints,
              addrinfo** result) {
  addrinfo asked = hints;
  asked.ai_flags &= ~AI_CANONNAME;
  const int error = ask_glibc("127.0.0.1", service, asked, result);
  if (error != 0) return error == EAI_ADDRFAMILY ? EAI_NONAME : error;
  const in_addr address = address_of(execution, name);
  for (addrinfo* info = *result; info; info = info->ai_next) set_address(*info, address);
  if (*result && (hints.ai_flags & AI_CANONNAME) != 0) {
    (*result)->ai_canonname = ::strdup(name);
  }
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getaddrinfo)(node, service, hints, result));
  const addrinfo asked = hints ? *hints : addrinfo{};
  const bool has_flaw = !node && (asked.ai_flags & AI_CANONNAME) != 0;
  if (!node && !service) return EAI_NONAME;
  if (has_flaw) return EAI_BADFLAGS;
  const int error = ask_glibc(node ? node : own_address(asked), service, asked, result);
  const bool may_be_name = node && *node != '\0' && (asked.ai_flags & AI_NUMERICHOST) == 0;
  if (error != EAI_NONAME || !may_be_name) return error;
  return find_name(*execution, node, service, asked, result);
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
