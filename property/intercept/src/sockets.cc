#include "sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "local_streams.h"

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

int Socket::bind(Execution& execution, sockaddr_in to) {
  if (own_.sin_port != 0) return EINVAL;
  if (to.sin_port == 0) to.sin_port = new_port(execution);
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

bool Socket::aborts() const {
  linger set{};
  const auto found = options.find({SOL_SOCKET, SO_LINGER});
  if (found == options.end() || found->second.size() < sizeof set) return false;
  std::memcpy(&set, found->second.data(), sizeof set);
  return set.l_onoff != 0 && set.l_linger == 0;
}

void Socket::reset_visitors() {
  for (const Visitor& visitor : visitors_) visitor.stream->abort();
  visitors_.clear();
}

void Socket::close() {
  if (stream_ && aborts()) stream_->abort();
  stream_.reset();
  reset_visitors();
  listens_ = false;
}

// The network of an execution knows no other address of its own machine.
void Socket::choose_own_address(Execution& execution) {
  if (own_.sin_port == 0) own_.sin_port = new_port(execution);
  if (own_.sin_addr.s_addr == htonl(INADDR_ANY)) own_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

int Socket::connect(Execution& execution, const sockaddr_in& to) {
  if (is_connecting()) return EALREADY;
  if (outcome_is_due_) return tell_outcome();
  if (stream_ || listens_) return EISCONN;
  disconnect();
  outcome_is_due_ = true;
  peer_ = to;
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

int Socket::tell_outcome() {
  outcome_is_due_ = false;
  if (stream_ && !is_over()) return 0;
  const int error = take_error();
  disconnect();
  return error != 0 ? error : ECONNABORTED;
}

void Socket::disconnect() {
  stream_.reset();
  connects_until_.reset();
  error_ = 0;
  refused_ = false;
  reads_no_more_ = false;
  writes_no_more_ = false;
  in_ = {};
  out_ = {};
  has_read_ = false;
  end_is_known_ = false;
  reset_is_told_ = false;
  has_written_in_vain_ = false;
}

short Socket::ready() {
  if (listens_) return visitors_.empty() ? 0 : POLLIN;
  if (is_connecting()) return 0;
  if (refused_) {
    return static_cast<short>(POLLIN | POLLOUT | POLLRDHUP | POLLHUP | (error_ != 0 ? POLLERR : 0));
  }
  if (!stream_) return static_cast<short>(POLLOUT | POLLHUP | (error_ != 0 ? POLLERR : 0));
  // A write that fails at once does not wait either.
  int events = !writes_no_more_ && out_.refuse_first_ask() ? 0 : POLLOUT;
  const bool ended = stream_->end() != Stream::End::kNone || reads_no_more_;
  const bool has_bytes = !stream_->arrived().empty() && !in_.refuse_first_ask();
  if (ended || has_bytes) events |= POLLIN;
  if (ended) events |= POLLRDHUP;
  if ((ended && writes_no_more_) || is_over()) events |= POLLHUP;
  if (untold_reset() != 0) events |= POLLERR;
  return static_cast<short>(events);
}

// A reader who has seen the end of the stream is not told of a later reset, which is then the
// writer's.
int Socket::untold_reset() const {
  if (!stream_ || reset_is_told_) return 0;
  if (stream_->end() == Stream::End::kReset) return ECONNRESET;
  const bool is_late = stream_->end() == Stream::End::kClosedAndReset || has_written_in_vain_;
  return is_late ? EPIPE : 0;
}

bool Socket::is_over() const {
  if (!stream_ || stream_->end() == Stream::End::kNone) return false;
  return writes_no_more_ || reset_is_told_ || untold_reset() != 0;
}

int Socket::take_error() {
  if (is_connecting()) return 0;
  if (error_ != 0) return std::exchange(error_, 0);
  const int error = untold_reset();
  if (error != 0) reset_is_told_ = true;
  return error;
}

ssize_t Socket::readable_bytes() {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (error_ != 0) return errno = std::exchange(error_, 0), -1;
  if (refused_) return 0;
  if (!stream_) return errno = ENOTCONN, -1;
  const bool ended = stream_->end() != Stream::End::kNone;
  if (ended && !std::exchange(end_is_known_, true) && draw_reset()) return errno = ECONNRESET, -1;
  const std::size_t bytes = stream_->arrived().size();
  if (bytes == 0 && stream_->end() == Stream::End::kReset && !std::exchange(reset_is_told_, true)) {
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
  reset_is_told_ = true;
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
  if (const int error = take_error()) return errno = error, -1;
  const bool is_first = is_local(*stream_) && !is_over();
  if (!is_first) return reset_is_told_ = true, errno = EPIPE, -1;
  has_written_in_vain_ = true;
  return static_cast<ssize_t>(bytes.size());
}

// A reset is told also to a writer who has said that no more bytes follow.
ssize_t Socket::write_after_end() {
  const int error = take_error();
  return errno = error != 0 ? error : EPIPE, -1;
}

ssize_t Socket::write(std::string_view bytes) {
  if (is_connecting()) return errno = EAGAIN, -1;
  if (!stream_) return errno = error_ != 0 ? std::exchange(error_, 0) : EPIPE, -1;
  if (writes_no_more_) return write_after_end();
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
    reset_visitors();
    return 0;
  }
  if (is_connecting()) return give_up_connecting(), 0;
  if (is_over() || !stream_) return ENOTCONN;
  outcome_is_due_ = false;
  if (how != SHUT_WR) reads_no_more_ = true;
  if (how == SHUT_RD) return 0;
  writes_no_more_ = true;
  stream_->shut_sending();
  return 0;
}

// As in Linux, whichever direction is shut: the socket is as before the attempt, but for the error.
void Socket::give_up_connecting() {
  disconnect();
  outcome_is_due_ = false;
  error_ = ECONNRESET;
}

std::string Socket::own_name() const { return name_of(own_, family_); }

std::string Socket::peer_name() const {
  const bool is_connected = stream_ && !is_connecting() && !is_over();
  return is_connected ? name_of(peer_, family_) : std::string();
}

std::string Socket::visitor_name() const { return name_of(peer_, family_); }

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

}  // namespace lockstep::intercept
