#include "lockstep/zookeeper/resolver.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace lockstep::zookeeper {

namespace {

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

int look_up(const std::string& host, int flags, Found& found) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* first = nullptr;
  const int rc = getaddrinfo(host.c_str(), nullptr, &hints, &first);
  if (rc == 0) found.reset(first);
  return rc;
}

// Such an answer means that the name may have addresses of another kind. Any other error, as when
// no DNS server answers, comes after a wait that a second question would double.
bool may_have_others(int rc) {
  return rc == EAI_NONAME || rc == EAI_NODATA || rc == EAI_ADDRFAMILY;
}

std::string numeric(const addrinfo& entry) {
  std::array<char, NI_MAXHOST> text{};
  const int rc = getnameinfo(entry.ai_addr, entry.ai_addrlen, text.data(), text.size(), nullptr, 0,
                             NI_NUMERICHOST);
  return rc == 0 ? std::string(text.data()) : std::string();
}

}  // namespace

ResolveResult resolve_by_system(const std::string& host) {
  Found found(nullptr, &freeaddrinfo);
  // First only addresses that this machine can reach; it has none if its only interface is the
  // loopback.
  int rc = look_up(host, AI_ADDRCONFIG, found);
  if (may_have_others(rc)) rc = look_up(host, 0, found);
  if (rc != 0) {
    const int system_error = errno;
    return std::unexpected(rc == EAI_SYSTEM ? std::generic_category().message(system_error)
                                            : std::string(gai_strerror(rc)));
  }
  std::vector<std::string> addresses;
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    std::string text = numeric(*entry);
    if (!text.empty() && std::ranges::find(addresses, text) == addresses.end()) {
      addresses.push_back(std::move(text));
    }
  }
  return addresses;
}

}  // namespace lockstep::zookeeper
