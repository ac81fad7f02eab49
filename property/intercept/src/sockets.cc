#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "calls.h"
#include "handled.h"
#include "local_streams.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

Socket* find_listener(const Execution& execution, const sockaddr_in& at) {
  for (const auto& descriptor : const_cast<Execution&>(execution).descriptors().all()) {
    auto* const socket = dynamic_cast<Socket*>(descriptor.get());
    if (socket && socket->listens_at(at)) return socket;
  }
  return nullptr;
}

}  // namespace

Socket::Socket(std::unique_ptr<Stream> stream, const sockaddr_in& own) : own_(own) {
  established(std::move(stream));
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

void Socket::bind(const sockaddr_in& to) { own_ = to; }

int Socket::listen() {
  if (own_.sin_port == 0) return EINVAL;
  listens_ = true;
  return 0;
}

bool Socket::listens_at(const sockaddr_in& address) const {
  const bool any = own_.sin_addr.s_addr == htonl(INADDR_ANY);
  return listens_ && own_.sin_port == address.sin_port &&
         (any || own_.sin_addr.s_addr == address.sin_addr.s_addr);
}

std::shared_ptr<Socket> Socket::accept() {
  if (!listens_) return errno = EINVAL, nullptr;
  if (visitors_.empty()) return errno = EAGAIN, nullptr;
  auto accepted = std::make_shared<Socket>(std::move(visitors_.front()), own_);
  visitors_.pop_front();
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

int Socket::connect(Execution& execution, const sockaddr_in& to) {
  if (is_connecting()) return EALREADY;
  if (stream_) return EISCONN;
  peer_ = to;
  error_ = 0;
  if (Socket* const listener = find_listener(execution, to)) {
    auto [here, there] = connect_locally(execution.host());
    established(std::move(here));
    listener->visitors_.push_back(std::move(there));
    execution.descriptors_changed();
    return EINPROGRESS;
  }
  Host::Attempt attempt = execution.host().connect(*execution.running(), to);
  connects_until_ = execution.host().now() + attempt.takes;
  error_ = attempt.error;
  refused_ = !attempt.stream;
  if (attempt.stream) established(std::move(attempt.stream));
  return EINPROGRESS;
}

short Socket::ready() {
  if (listens_) return visitors_.empty() ? 0 : POLLIN;
  if (is_connecting()) return 0;
  if (refused_) return POLLOUT | POLLERR | POLLHUP;
  if (!stream_) return POLLHUP;
  int events = writes_no_more_ || out_.asked_too_early() ? 0 : POLLOUT;
  const bool ended = stream_->end() != Stream::End::kNone;
  const bool has_bytes = !stream_->arrived().empty() && !in_.asked_too_early();
  if (ended || reads_no_more_ || has_bytes) events |= POLLIN;
  if (ended) events |= POLLRDHUP;
  return static_cast<short>(events);
}

ssize_t Socket::readable_bytes() {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (!stream_) return errno = ENOTCONN, -1;
  const bool ended = stream_->end() != Stream::End::kNone;
  if (ended && !std::exchange(end_is_known_, true) && is_reset()) return errno = ECONNRESET, -1;
  const std::size_t bytes = stream_->arrived().size();
  if (bytes == 0 && (ended || reads_no_more_)) return 0;
  if (bytes == 0 || (!ended && in_.asked_too_early())) return errno = EAGAIN, -1;
  return static_cast<ssize_t>(bytes);
}

// Returns whether the reader of a broken connection gets ECONNRESET, which is a choice. If so, the
// rest of a partial transfer is lost, so that the connection ends in the middle of a message.
bool Socket::is_reset() {
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

ssize_t Socket::write(std::string_view bytes) {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (!stream_) return errno = ENOTCONN, -1;
  if (writes_no_more_ || stream_->end() != Stream::End::kNone) return errno = EPIPE, -1;
  if (out_.asked_too_early()) return errno = EAGAIN, -1;
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

void Socket::shut(int how) {
  if (how != SHUT_WR) reads_no_more_ = true;
  if (how != SHUT_RD) writes_no_more_ = true;
}

namespace {

std::shared_ptr<Socket> socket_of(Execution& execution, int file);

int accept_on(Execution& execution, int file, int flags) {
  const std::shared_ptr<Socket> listener = socket_of(execution, file);
  if (!listener) return -1;
  wait_until_ready(execution, "accept", *listener, POLLIN);
  const std::shared_ptr<Socket> accepted = listener->accept();
  if (!accepted) return -1;
  accepted->nonblocking = (flags & SOCK_NONBLOCK) != 0;
  return execution.descriptors().add(accepted);
}

int tcp_info_of(Execution& execution, const Socket& socket, void* value, socklen_t* size) {
  tcp_info info{};
  if (socket.stream()) {
    const auto ago = execution.host().now() - socket.stream()->last_arrival();
    info.tcpi_last_data_recv = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(ago).count());
  }
  *size = static_cast<socklen_t>(std::min<std::size_t>(*size, sizeof info));
  std::memcpy(value, &info, *size);
  return 0;
}

std::shared_ptr<Socket> socket_of(Execution& execution, int file) {
  const std::shared_ptr<Descriptor> found = execution.descriptors().find(file);
  if (!found) return nullptr;
  auto socket = std::dynamic_pointer_cast<Socket>(found);
  if (!socket) errno = ENOTSOCK;
  return socket;
}

// Converts IPv4 addresses, IPv4-mapped IPv6 addresses, and IPv6's loopback address. Returns false
// for other addresses.
bool to_ipv4(const sockaddr* address, socklen_t size, sockaddr_in& into) {
  if (address->sa_family == AF_INET && size >= sizeof into) {
    std::memcpy(&into, address, sizeof into);
    return true;
  }
  sockaddr_in6 six{};
  if (address->sa_family != AF_INET6 || size < sizeof six) return false;
  std::memcpy(&six, address, sizeof six);
  if (!IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) && !IN6_IS_ADDR_LOOPBACK(&six.sin6_addr)) return false;
  into = {};
  into.sin_family = AF_INET;
  into.sin_port = six.sin6_port;
  into.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    std::memcpy(&into.sin_addr, &six.sin6_addr.s6_addr[12], sizeof into.sin_addr);
  }
  return true;
}

int copy_peer(const sockaddr_in& peer, sockaddr* into, socklen_t* size) {
  std::memcpy(into, &peer, std::min<std::size_t>(*size, sizeof peer));
  *size = sizeof peer;
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int socket(int domain, int type, int protocol) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(socket)(domain, type, protocol));
  constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  const bool is_internet = domain == AF_INET || domain == AF_INET6;
  if (!is_internet || (type & ~kFlags) != SOCK_STREAM) return errno = EAFNOSUPPORT, -1;
  auto made = std::make_shared<Socket>();
  made->nonblocking = (type & SOCK_NONBLOCK) != 0;
  return execution->descriptors().add(std::move(made));
}

int connect(int file, const sockaddr* address, socklen_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(connect)(file, address, size));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = ENETUNREACH, -1;
  execution->point("connect");
  int error = socket->connect(*execution, to);
  if (error == EINPROGRESS && !socket->nonblocking) {
    wait_until_ready(*execution, "connect", *socket, POLLOUT);
    error = socket->take_error();
  }
  return error == 0 ? 0 : (errno = error, -1);
}

int close(int file) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(close)(file));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(close)(file);
  execution->point("close");
  return execution->descriptors().close(file);
}

int shutdown(int file, int how) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(shutdown)(file, how));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  socket->shut(how);
  execution->descriptors_changed();
  return 0;
}

int getsockopt(int file, int level, int option, void* value, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getsockopt)(file, level, option, value, size));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  if (level == IPPROTO_TCP && option == TCP_INFO) {
    return tcp_info_of(*execution, *socket, value, size);
  }
  const int shown = level == SOL_SOCKET && option == SO_ERROR ? socket->take_error() : 0;
  std::memcpy(value, &shown, std::min<std::size_t>(*size, sizeof shown));
  return 0;
}

// Succeeds without effect: options tune a real network.
int setsockopt(int file, int level, int option, const void* value, socklen_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(setsockopt)(file, level, option, value, size));
  return socket_of(*execution, file) ? 0 : -1;
}

int getpeername(int file, sockaddr* address, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpeername)(file, address, size));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  if (!socket->peer()) return errno = ENOTCONN, -1;
  return copy_peer(*socket->peer(), address, size);
}

int getsockname(int file, sockaddr* address, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getsockname)(file, address, size));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in own = socket->own();
  own.sin_family = AF_INET;
  if (own.sin_port == 0) {
    own.sin_port = htons(static_cast<std::uint16_t>(40'000 + file));
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  return copy_peer(own, address, size);
}

int bind(int file, const sockaddr* address, socklen_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(bind)(file, address, size));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  sockaddr_in to{};
  if (!to_ipv4(address, size, to)) return errno = EADDRNOTAVAIL, -1;
  if (to.sin_port == 0) to.sin_port = htons(execution->descriptors().next_port());
  socket->bind(to);
  return 0;
}

int listen(int file, int backlog) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(listen)(file, backlog));
  const std::shared_ptr<Socket> socket = socket_of(*execution, file);
  if (!socket) return -1;
  const int error = socket->listen();
  return error == 0 ? 0 : (errno = error, -1);
}

int accept(int file, sockaddr* address, socklen_t* size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(accept)(file, address, size));
  execution->point("accept");
  return accept_on(*execution, file, 0);
}

int accept4(int file, sockaddr* address, socklen_t* size, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(accept4)(file, address, size, flags));
  execution->point("accept4");
  return accept_on(*execution, file, flags);
}

}  // extern "C"

LOCKSTEP_LINKED(sockets)
