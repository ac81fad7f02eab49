#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "calls.h"
#include "handled.h"
#include "local_streams.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

template <typename Matches>
Socket* find_socket(Execution& execution, Matches matches) {
  return static_cast<Socket*>(execution.descriptors().find_any([&](Descriptor& descriptor) {
    auto* const socket = dynamic_cast<Socket*>(&descriptor);
    return socket && matches(*socket);
  }));
}

// Returns a port in network byte order to which no socket is bound.
in_port_t new_port(Execution& execution) {
  for (;;) {
    const in_port_t port = htons(execution.descriptors().next_port());
    if (!find_socket(execution, [&](const Socket& socket) { return socket.has_port(port); })) {
      return port;
    }
  }
}

// Returns the address as programs see it: a sockaddr_in, or a sockaddr_in6 for a socket of IPv6.
std::string name_of(const sockaddr_in& address, int family) {
  if (family == AF_INET) {
    sockaddr_in four = address;
    four.sin_family = AF_INET;
    return {reinterpret_cast<const char*>(&four), sizeof four};
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = address.sin_port;
  if (address.sin_addr.s_addr != htonl(INADDR_ANY)) {
    six.sin6_addr.s6_addr[10] = 0xff;
    six.sin6_addr.s6_addr[11] = 0xff;
    std::memcpy(&six.sin6_addr.s6_addr[12], &address.sin_addr, sizeof address.sin_addr);
  }
  return {reinterpret_cast<const char*>(&six), sizeof six};
}

}  // namespace

Socket::Socket(int family, Visitor visitor)
    : family_(family), own_(visitor.to), peer_(visitor.from) {
  established(std::move(visitor.stream));
}

// Lets one connection in four have one partial transfer. More such choices would make it harder to
// find those that a violation needs.
void Socket::established(std::unique_ptr<Stream> stream) {
  constexpr std::uint32_t kShare = 8;
  constexpr std::uint32_t kTransfers = 32;
  stream_ = std::move(stream);
  Host& host = Execution::current()->host();
  const std::uint32_t drawn = host.draw(kShare);
  if (drawn == 1) in_.allow(host.draw(kTransfers));
  if (drawn == 2) out_.allow(host.draw(kTransfers));
}

bool Socket::is_connecting() const {
  return connects_until_ && Execution::current()->host().now() < *connects_until_;
}

bool Socket::reuses() const {
  const auto set = options.find({SOL_SOCKET, SO_REUSEADDR});
  return set != options.end() && set->second.find_first_not_of('\0') != set->second.npos;
}

int Socket::bind(Execution& execution, const sockaddr_in& to) {
  if (own_.sin_port != 0) return EINVAL;
  const bool is_any = to.sin_addr.s_addr == htonl(INADDR_ANY);
  const Socket* const other = find_socket(execution, [&](const Socket& socket) {
    const bool overlaps = socket.is_at(to) || (is_any && socket.has_port(to.sin_port));
    return overlaps && (socket.listens_ || !socket.reuses() || !reuses());
  });
  if (other) return EADDRINUSE;
  own_ = to;
  execution.descriptors().bound(own_);
  return 0;
}

int Socket::listen(Execution& execution) {
  if (own_.sin_port == 0) own_.sin_port = new_port(execution);
  const Socket* const other = find_socket(execution, [&](const Socket& socket) {
    return &socket != this && socket.listens_ && (socket.is_at(own_) || is_at(socket.own_));
  });
  if (other) return EADDRINUSE;
  execution.descriptors().bound(own_);
  listens_ = true;
  return 0;
}

bool Socket::is_at(const sockaddr_in& address) const {
  const bool any = own_.sin_addr.s_addr == htonl(INADDR_ANY);
  return own_.sin_port == address.sin_port &&
         (any || own_.sin_addr.s_addr == address.sin_addr.s_addr);
}

bool Socket::listens_at(const sockaddr_in& address) const { return listens_ && is_at(address); }

std::shared_ptr<Socket> Socket::accept() {
  if (!listens_) return errno = EINVAL, nullptr;
  if (visitors_.empty()) return errno = EAGAIN, nullptr;
  auto accepted = std::make_shared<Socket>(family_, std::move(visitors_.front()));
  visitors_.pop_front();
  accepted->receive_timeout = receive_timeout;
  accepted->send_timeout = send_timeout;
  accepted->options = options;
  return accepted;
}

bool Socket::has_local_peer() const {
  return !visitors_.empty() || (stream_ && is_local(*stream_));
}

void Socket::close() {
  stream_.reset();
  visitors_.clear();
  listens_ = false;
}

// The network of an execution knows no other address of its own machine.
void Socket::choose_own_address(Execution& execution) {
  if (own_.sin_port == 0) own_.sin_port = new_port(execution);
  if (own_.sin_addr.s_addr == htonl(INADDR_ANY)) own_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

int Socket::connect(Execution& execution, const sockaddr_in& to) {
  if (is_connecting()) return EALREADY;
  if (stream_ || listens_) return EISCONN;
  peer_ = to;
  error_ = 0;
  refused_ = false;
  connects_until_.reset();
  choose_own_address(execution);
  const Socket* const taken = find_socket(
      execution, [&](const Socket& socket) { return &socket != this && socket.is_at(to); });
  Socket* const listener =
      taken ? find_socket(execution, [&](const Socket& socket) { return socket.listens_at(to); })
            : nullptr;
  if (listener) {
    auto [here, there] = connect_locally(execution.host());
    established(std::move(here));
    listener->visitors_.push_back({std::move(there), own_, to});
    execution.descriptors_changed();
    return EINPROGRESS;
  }
  // A port of this machine that nobody listens at is no server's, also after its socket has closed.
  Host::Connecting attempt;
  if (taken || execution.descriptors().was_bound(to)) {
    attempt.error = ECONNREFUSED;
  } else {
    attempt = execution.host().connect(*execution.running(), to);
  }
  connects_until_ = execution.host().now() + attempt.takes;
  error_ = attempt.error;
  refused_ = !attempt.stream;
  if (attempt.stream) established(std::move(attempt.stream));
  return EINPROGRESS;
}

short Socket::ready() {
  if (listens_) return visitors_.empty() ? 0 : POLLIN;
  if (is_connecting()) return 0;
  if (refused_) {
    return static_cast<short>(POLLIN | POLLOUT | POLLRDHUP | POLLHUP | (error_ != 0 ? POLLERR : 0));
  }
  if (!stream_) return POLLOUT | POLLHUP;
  // A write that fails at once does not wait either.
  int events = !writes_no_more_ && out_.refuse_first_ask() ? 0 : POLLOUT;
  const bool ended = stream_->end() != Stream::End::kNone || reads_no_more_;
  const bool has_bytes = !stream_->arrived().empty() && !in_.refuse_first_ask();
  if (ended || has_bytes) events |= POLLIN;
  if (ended) events |= POLLRDHUP;
  const bool is_reset = stream_->end() == Stream::End::kReset;
  if ((ended && writes_no_more_) || is_reset) events |= POLLHUP;
  if (is_reset && !reset_is_known_) events |= POLLERR;
  return static_cast<short>(events);
}

ssize_t Socket::readable_bytes() {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (error_ != 0) return errno = std::exchange(error_, 0), -1;
  if (refused_) return 0;
  if (!stream_) return errno = ENOTCONN, -1;
  const bool ended = stream_->end() != Stream::End::kNone;
  if (ended && !std::exchange(end_is_known_, true) && draw_reset()) return errno = ECONNRESET, -1;
  const std::size_t bytes = stream_->arrived().size();
  if (bytes == 0 && stream_->end() == Stream::End::kReset &&
      !std::exchange(reset_is_known_, true)) {
    return errno = ECONNRESET, -1;
  }
  if (bytes == 0 && (ended || reads_no_more_)) {
    stream_->take(0);  // The reader knows what the other end has done before it closed.
    return 0;
  }
  if (bytes == 0 || (!ended && in_.refuse_first_ask())) return errno = EAGAIN, -1;
  return static_cast<ssize_t>(bytes);
}

// Returns whether the reader of a broken connection gets ECONNRESET, which is a choice. If so, the
// rest of a partial transfer is lost, so that the connection ends in the middle of a message.
bool Socket::draw_reset() {
  if (stream_->end() != Stream::End::kBroken) return false;
  if (Execution::current()->host().draw(2) == 0) return false;
  if (in_.has_late_rest()) stream_->take(stream_->arrived().size());
  return true;
}

ssize_t Socket::peek(char* into, std::size_t size) {
  const ssize_t bytes = readable_bytes();
  if (bytes <= 0) return bytes;
  const std::string_view part = stream_->arrived().substr(0, size);
  std::memcpy(into, part.data(), part.size());
  return static_cast<ssize_t>(part.size());
}

ssize_t Socket::read(char* into, std::size_t size) {
  const ssize_t bytes = readable_bytes();
  if (bytes <= 0) return bytes;
  const std::size_t wanted = std::min(size, static_cast<std::size_t>(bytes));
  const std::size_t taken = in_.draw(*Execution::current(), "recv", wanted);
  std::memcpy(into, stream_->arrived().data(), taken);
  stream_->take(taken);
  has_read_ = true;
  return static_cast<ssize_t>(taken);
}

// The other end has gone. As in TCP, the answer to the first write says so, but a reset has said it
// before.
ssize_t Socket::write_in_vain(std::string_view bytes) {
  const bool is_reset = stream_->end() == Stream::End::kReset;
  if (is_reset && !std::exchange(reset_is_known_, true)) return errno = ECONNRESET, -1;
  const bool is_first = is_local(*stream_) && !is_reset;
  if (!is_first || std::exchange(has_written_in_vain_, true)) return errno = EPIPE, -1;
  return static_cast<ssize_t>(bytes.size());
}

ssize_t Socket::write(std::string_view bytes) {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (!stream_) return errno = error_ != 0 ? std::exchange(error_, 0) : EPIPE, -1;
  if (writes_no_more_) return errno = EPIPE, -1;
  if (!stream_->is_received()) return write_in_vain(bytes);
  if (out_.refuse_first_ask()) return errno = EAGAIN, -1;
  // A blocking send takes all bytes. So does each send before the first answer, because the buffer
  // of a new connection has room for it: code relies on that, such as the handshake of ZooKeeper's
  // C client.
  const bool is_whole = !nonblocking || !has_read_;
  const std::size_t taken =
      is_whole ? bytes.size() : out_.draw(*Execution::current(), "send", bytes.size());
  stream_->send(bytes.substr(0, taken));
  return static_cast<ssize_t>(taken);
}

std::optional<std::chrono::nanoseconds> Socket::due(short events) {
  if (is_connecting()) return connects_until_;
  std::optional<std::chrono::nanoseconds> first;
  if ((events & POLLIN) != 0) first = earlier(first, in_.due());
  if ((events & POLLOUT) != 0 && !writes_no_more_) first = earlier(first, out_.due());
  return first;
}

int Socket::shut(int how) {
  if (listens_) {
    if (how == SHUT_WR) return 0;
    listens_ = false;
    visitors_.clear();
    return 0;
  }
  if (!stream_ && !is_connecting()) return ENOTCONN;
  if (how != SHUT_WR) reads_no_more_ = true;
  if (how == SHUT_RD) return 0;
  writes_no_more_ = true;
  if (stream_) stream_->shut_sending();
  return 0;
}

std::string Socket::own_name() const { return name_of(own_, family_); }

std::string Socket::peer_name() const {
  return stream_ && !is_connecting() ? name_of(peer_, family_) : std::string();
}

namespace {

// Returns null and sets errno if the descriptor is none of that kind.
template <typename Kind>
std::shared_ptr<Kind> find_end(Execution& execution, int file, int error) {
  const std::shared_ptr<Descriptor> found = execution.descriptors().find(file);
  if (!found) return nullptr;
  auto end = std::dynamic_pointer_cast<Kind>(found);
  if (!end) errno = error;
  return end;
}

}  // namespace

std::shared_ptr<ConnectionEnd> end_of(Execution& execution, int file) {
  return find_end<ConnectionEnd>(execution, file, ENOTSOCK);
}

std::shared_ptr<Socket> socket_of(Execution& execution, int file) {
  if (!end_of(execution, file)) return nullptr;
  return find_end<Socket>(execution, file, EOPNOTSUPP);
}

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
  if (address) copy_name(accepted->peer_name(), address, size);
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
  auto made = std::make_shared<Socket>(domain);
  made->nonblocking = (type & SOCK_NONBLOCK) != 0;
  return execution->descriptors().add(std::move(made));
}

int connect(int file, const sockaddr* address, socklen_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(connect)(file, address, size));
  execution->point("connect");
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = ENETUNREACH, -1;
  // As in Linux, the address of all interfaces leads to this machine.
  if (to.sin_addr.s_addr == htonl(INADDR_ANY)) to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int error = socket->connect(*execution, to);
  if (error == EINPROGRESS && !socket->nonblocking) {
    const InUse use(execution->descriptors(), *socket);
    const auto until = time_to_give_up(*execution, *socket, POLLOUT);
    wait_until_ready(*execution, "connect", *socket, POLLOUT, until);
    error = socket->is_connecting() ? EINPROGRESS : socket->take_error();
  }
  return error == 0 ? 0 : (errno = error, -1);
}

int shutdown(int file, int how) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(shutdown)(file, how));
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
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = EADDRNOTAVAIL, -1;
  if (to.sin_port == 0) to.sin_port = new_port(*execution);
  const int error = socket->bind(*execution, to);
  return error == 0 ? 0 : (errno = error, -1);
}

int listen(int file, int backlog) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(listen)(file, backlog));
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
  execution->point("accept4");
  return accept_on(*execution, file, flags, address, size);
}

}  // extern "C"

LOCKSTEP_LINKED(sockets)
