#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "calls.h"
#include "handled.h"
#include "real.h"
#include "sockets.h"

// Calls that make, name and end sockets.

namespace lockstep::intercept {

namespace {

int copy_name(std::string_view name, sockaddr* into, socklen_t* size) {
  std::memcpy(into, name.data(), std::min<std::size_t>(*size, name.size()));
  *size = static_cast<socklen_t>(name.size());
  return 0;
}

int accept_on(Execution& execution, int file, int flags, sockaddr* address, socklen_t* size) {
  const std::shared_ptr<Socket> listener = socket_of(execution, file);
  if (!listener) return -1;
  const InUse use(execution.descriptors(), *listener);
  const auto until = time_to_give_up(execution, *listener, POLLIN);
  wait_until_ready(execution, "accept", *listener, POLLIN, until);
  const std::shared_ptr<Socket> accepted = listener->accept();
  if (!accepted) return -1;
  accepted->nonblocking = (flags & SOCK_NONBLOCK) != 0;
  if (address) copy_name(accepted->visitor_name(), address, size);
  return execution.descriptors().add(accepted);
}

// Converts IPv4 addresses, IPv4-mapped IPv6 addresses, and IPv6's loopback address and address of
// all interfaces. Returns false for other addresses.
bool to_ipv4(const sockaddr* address, socklen_t size, sockaddr_in& into) {
  if (address->sa_family == AF_INET && size >= sizeof into) {
    std::memcpy(&into, address, sizeof into);
    return true;
  }
  sockaddr_in6 six{};
  if (address->sa_family != AF_INET6 || size < sizeof six) return false;
  std::memcpy(&six, address, sizeof six);
  const bool is_any = IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
  if (!is_any && !IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) && !IN6_IS_ADDR_LOOPBACK(&six.sin6_addr)) {
    return false;
  }
  into = {};
  into.sin_family = AF_INET;
  into.sin_port = six.sin6_port;
  into.sin_addr.s_addr = htonl(is_any ? INADDR_ANY : INADDR_LOOPBACK);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    std::memcpy(&into.sin_addr, &six.sin6_addr.s6_addr[12], sizeof into.sin_addr);
  }
  return true;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int socket(int domain, int type, int protocol) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(socket)(domain, type, protocol));
  constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  const bool is_internet = domain == AF_INET || domain == AF_INET6;
  if (!is_internet || (type & ~kFlags) != SOCK_STREAM) {
    execution->refuse("socket", "only sockets of TCP can be intercepted");
  }
  if (protocol != 0 && protocol != IPPROTO_TCP) return errno = EPROTONOSUPPORT, -1;
  auto made = std::make_shared<Socket>(domain);
  made->nonblocking = (type & SOCK_NONBLOCK) != 0;
  return execution->descriptors().add(std::move(made));
}

int connect(int file, const sockaddr* address, socklen_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(connect)(file, address, size));
  execution->becomes_observable();
  execution->point("connect");
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = ENETUNREACH, -1;
  // As in Linux, the address of all interfaces leads to this machine.
  if (to.sin_addr.s_addr == htonl(INADDR_ANY)) to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int error = socket->connect(*execution, to);
  const bool is_under_way = error == EINPROGRESS || error == EALREADY;
  if (is_under_way && !socket->nonblocking) {
    const InUse use(execution->descriptors(), *socket);
    const auto until = time_to_give_up(*execution, *socket, POLLOUT);
    wait_until_ready(*execution, "connect", *socket, POLLOUT, until);
    if (!socket->is_connecting()) error = socket->tell_outcome();
  }
  return error == 0 ? 0 : (errno = error, -1);
}

int shutdown(int file, int how) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(shutdown)(file, how));
  execution->point("shutdown");
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR) return errno = EINVAL, -1;
  const int error = end->shut(how);
  execution->descriptors_changed();
  return error == 0 ? 0 : (errno = error, -1);
}

int getpeername(int file, sockaddr* address, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpeername)(file, address, size));
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  const std::string name = end->peer_name();
  return name.empty() ? (errno = ENOTCONN, -1) : copy_name(name, address, size);
}

int getsockname(int file, sockaddr* address, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getsockname)(file, address, size));
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  return copy_name(end->own_name(), address, size);
}

int bind(int file, const sockaddr* address, socklen_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(bind)(file, address, size));
  execution->becomes_observable();
  execution->point("bind");
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = EADDRNOTAVAIL, -1;
  const int error = socket->bind(*execution, to);
  return error == 0 ? 0 : (errno = error, -1);
}

int listen(int file, int backlog) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(listen)(file, backlog));
  execution->becomes_observable();
  execution->point("listen");
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  const int error = socket->listen(*execution);
  return error == 0 ? 0 : (errno = error, -1);
}

int accept(int file, sockaddr* address, socklen_t* size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(accept)(file, address, size));
  execution->point("accept");
  return accept_on(*execution, file, 0, address, size);
}

int accept4(int file, sockaddr* address, socklen_t* size, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(accept4)(file, address, size, flags));
  if ((flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != 0) return errno = EINVAL, -1;
  execution->point("accept4");
  return accept_on(*execution, file, flags, address, size);
}

}  // extern "C"

LOCKSTEP_LINKED(socket_calls)
