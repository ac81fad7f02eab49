#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "calls.h"
#include "handled.h"
#include "real.h"
#include "sockets.h"

namespace lockstep::intercept {

namespace {

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

template <typename Value>
int show(const Value& value, void* into, socklen_t* size) {
  *size = static_cast<socklen_t>(std::min<std::size_t>(*size, sizeof value));
  std::memcpy(into, &value, *size);
  return 0;
}

// A time of 0 stands for none.
timeval shown_timeout(std::optional<std::chrono::nanoseconds> timeout) {
  const timespec time = to_timespec(timeout.value_or(std::chrono::nanoseconds(0)));
  return {.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
}

// How an option's value is set. Most options tune a real network, and have no effect here.
enum class Kind : std::uint8_t {
  kFlag,       // 0 or 1.
  kNumber,     // From 0 on.
  kPositive,   // From 1 on.
  kAny,        // Any number.
  kBuffer,     // Linux doubles the size.
  kLinger,     // A struct linger.
  kUnchanged,  // It cannot be set.
};

// An option that sockets have, and its value if it has not been set: those of socket(7), ip(7),
// tcp(7), and their files in /proc/sys.
struct Option {
  int level;
  int name;
  Kind kind;
  int usual = 0;
};

constexpr Option kOptions[] = {
    {SOL_SOCKET, SO_BROADCAST, Kind::kFlag},
    {SOL_SOCKET, SO_BUSY_POLL, Kind::kNumber},
    {SOL_SOCKET, SO_COOKIE, Kind::kUnchanged},
    {SOL_SOCKET, SO_DEBUG, Kind::kFlag},
    {SOL_SOCKET, SO_DONTROUTE, Kind::kFlag},
    {SOL_SOCKET, SO_INCOMING_CPU, Kind::kAny, -1},
    {SOL_SOCKET, SO_KEEPALIVE, Kind::kFlag},
    {SOL_SOCKET, SO_LINGER, Kind::kLinger},
    {SOL_SOCKET, SO_MARK, Kind::kAny},
    {SOL_SOCKET, SO_NO_CHECK, Kind::kFlag},
    {SOL_SOCKET, SO_OOBINLINE, Kind::kFlag},
    {SOL_SOCKET, SO_PEERCRED, Kind::kUnchanged},
    {SOL_SOCKET, SO_PRIORITY, Kind::kAny},
    {SOL_SOCKET, SO_RCVBUF, Kind::kBuffer, 131'072},
    {SOL_SOCKET, SO_RCVLOWAT, Kind::kPositive, 1},
    {SOL_SOCKET, SO_REUSEADDR, Kind::kFlag},
    {SOL_SOCKET, SO_REUSEPORT, Kind::kFlag},
    {SOL_SOCKET, SO_SNDBUF, Kind::kBuffer, 16'384},
    {SOL_SOCKET, SO_SNDLOWAT, Kind::kUnchanged, 1},
    {SOL_SOCKET, SO_TIMESTAMP, Kind::kFlag},
    {IPPROTO_TCP, TCP_CORK, Kind::kFlag},
    {IPPROTO_TCP, TCP_DEFER_ACCEPT, Kind::kAny},
    {IPPROTO_TCP, TCP_FASTOPEN, Kind::kNumber},
    {IPPROTO_TCP, TCP_KEEPCNT, Kind::kPositive, 9},
    {IPPROTO_TCP, TCP_KEEPIDLE, Kind::kPositive, 7'200},
    {IPPROTO_TCP, TCP_KEEPINTVL, Kind::kPositive, 75},
    {IPPROTO_TCP, TCP_LINGER2, Kind::kAny, 60},
    {IPPROTO_TCP, TCP_MAXSEG, Kind::kNumber, 536},
    {IPPROTO_TCP, TCP_NODELAY, Kind::kFlag},
    {IPPROTO_TCP, TCP_NOTSENT_LOWAT, Kind::kAny},
    {IPPROTO_TCP, TCP_QUICKACK, Kind::kFlag, 1},
    {IPPROTO_TCP, TCP_SYNCNT, Kind::kPositive, 6},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, Kind::kNumber},
    {IPPROTO_TCP, TCP_WINDOW_CLAMP, Kind::kNumber},
    {IPPROTO_IP, IP_FREEBIND, Kind::kFlag},
    {IPPROTO_IP, IP_MTU_DISCOVER, Kind::kNumber, 1},
    {IPPROTO_IP, IP_RECVERR, Kind::kFlag},
    {IPPROTO_IP, IP_TOS, Kind::kAny},
    {IPPROTO_IP, IP_TRANSPARENT, Kind::kFlag},
    {IPPROTO_IP, IP_TTL, Kind::kPositive, 64},
    {IPPROTO_IPV6, IPV6_RECVERR, Kind::kFlag},
    {IPPROTO_IPV6, IPV6_TCLASS, Kind::kAny},
    {IPPROTO_IPV6, IPV6_UNICAST_HOPS, Kind::kAny, 64},
    {IPPROTO_IPV6, IPV6_V6ONLY, Kind::kFlag},
};

// Returns the error (errno) for a level whose options the socket does not have; 0 for others.
int level_error(const ConnectionEnd& end, int level, int error_of_tcp) {
  if (level == SOL_SOCKET) return 0;
  if (end.domain() == AF_UNIX) return EOPNOTSUPP;
  if (level == IPPROTO_TCP || level == IPPROTO_IP) return 0;
  return end.domain() == AF_INET6 ? 0 : error_of_tcp;
}

// An option that does not exist is as one that this version of Linux does not know.
const Option* find_option(int level, int name) {
  const auto* const found = std::ranges::find_if(
      kOptions, [&](const Option& option) { return option.level == level && option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

std::string bytes_of(int value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

// Returns the bytes of a value that has not been set.
std::string usual_bytes(const ConnectionEnd& end, const Option& option) {
  constexpr int kBufferOfPair = 212'992;
  if (option.kind == Kind::kLinger) return std::string(sizeof(linger), '\0');
  const bool is_pair = end.domain() == AF_UNIX;
  return bytes_of(option.kind == Kind::kBuffer && is_pair ? kBufferOfPair : option.usual);
}

int show_bytes(std::string_view bytes, void* into, socklen_t* size) {
  *size = static_cast<socklen_t>(bytes.copy(static_cast<char*>(into), *size));
  return 0;
}

int option_of(ConnectionEnd& end, int level, int option, void* value, socklen_t* size) {
  if (level == SOL_SOCKET) {
    switch (option) {
      case SO_ERROR: return show(end.take_error(), value, size);
      case SO_TYPE: return show(int{SOCK_STREAM}, value, size);
      case SO_ACCEPTCONN: return show(int{end.listens()}, value, size);
      case SO_DOMAIN: return show(end.domain(), value, size);
      case SO_PROTOCOL: return show(end.domain() == AF_UNIX ? 0 : IPPROTO_TCP, value, size);
      case SO_RCVTIMEO: return show(shown_timeout(end.receive_timeout), value, size);
      case SO_SNDTIMEO: return show(shown_timeout(end.send_timeout), value, size);
      default: break;
    }
  }
  if (const int error = level_error(end, level, EOPNOTSUPP)) return errno = error, -1;
  const Option* const known = find_option(level, option);
  if (!known) return errno = ENOPROTOOPT, -1;
  const auto set = end.options.find({level, option});
  return show_bytes(set == end.options.end() ? usual_bytes(end, *known) : set->second, value, size);
}

// Linux takes more room than a program asks for, within the limits of wmem_max and rmem_max.
int buffer_for(int option, int asked) {
  constexpr unsigned kMostAsked = 212'992;
  const int least = option == SO_SNDBUF ? 4'608 : 2'304;
  const unsigned taken = std::min(static_cast<unsigned>(asked), kMostAsked);
  return std::max(static_cast<int>(2 * taken), least);
}

// Converts a number to the value that the option has from now on; none if it is not valid.
std::optional<int> value_for(const Option& option, int asked) {
  // 0 stands for the least.
  if (option.name == SO_RCVLOWAT && option.level == SOL_SOCKET) {
    return asked == 0 ? 1 : asked < 0 ? INT_MAX : asked;
  }
  switch (option.kind) {
    case Kind::kFlag: return asked != 0 ? 1 : 0;
    case Kind::kNumber: return asked < 0 ? std::nullopt : std::optional(asked);
    case Kind::kPositive: return asked < 1 ? std::nullopt : std::optional(asked);
    case Kind::kBuffer: return buffer_for(option.name, asked);
    default: return asked;
  }
}

// Returns the number that setsockopt() is given; none if it is given too few bytes.
std::optional<int> number_at(int level, const void* value, socklen_t size) {
  int number = 0;
  if (size >= sizeof number) {
    std::memcpy(&number, value, sizeof number);
    return number;
  }
  if (level != IPPROTO_IP || size == 0) return std::nullopt;
  return *static_cast<const unsigned char*>(value);
}

std::optional<std::string> linger_at(const void* value, socklen_t size) {
  linger asked{};
  if (size < sizeof asked) return std::nullopt;
  std::memcpy(&asked, value, sizeof asked);
  asked.l_onoff = asked.l_onoff != 0 ? 1 : 0;
  return std::string(reinterpret_cast<const char*>(&asked), sizeof asked);
}

std::optional<std::string> bytes_for(const Option& option, std::optional<int> asked) {
  const std::optional<int> taken = asked ? value_for(option, *asked) : std::nullopt;
  return taken ? std::optional(bytes_of(*taken)) : std::nullopt;
}

// Returns 0 or the error (errno).
int set_option(ConnectionEnd& end, int level, int name, const void* value, socklen_t size) {
  if (const int error = level_error(end, level, ENOPROTOOPT)) return error;
  const std::optional<int> asked = number_at(level, value, size);
  if (!asked && (level == SOL_SOCKET || level == IPPROTO_TCP)) return EINVAL;
  const Option* const option = find_option(level, name);
  if (!option || option->kind == Kind::kUnchanged) return ENOPROTOOPT;
  const std::optional<std::string> taken =
      option->kind == Kind::kLinger ? linger_at(value, size) : bytes_for(*option, asked);
  if (!taken) return EINVAL;
  end.options[{level, name}] = *taken;
  return 0;
}

// Returns 0 or the error (errno).
int set_timeout(std::optional<std::chrono::nanoseconds>& timeout, const void* value,
                socklen_t size) {
  constexpr suseconds_t kSecond = 1'000'000;
  timeval time{};
  if (size < sizeof time) return EINVAL;
  std::memcpy(&time, value, sizeof time);
  if (time.tv_usec < 0 || time.tv_usec >= kSecond) return EDOM;
  const auto asked = from_timespec({time.tv_sec, time.tv_usec * 1000});
  timeout.reset();
  // As in Linux, a time before 0 is no time to wait.
  if (asked != std::chrono::nanoseconds(0)) timeout = std::max(asked, std::chrono::nanoseconds(0));
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int getsockopt(int file, int level, int option, void* value, socklen_t* size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getsockopt)(file, level, option, value, size));
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  if (level == IPPROTO_TCP && option == TCP_INFO) {
    const std::shared_ptr<Socket> socket = socket_of(*execution, file);
    return socket ? tcp_info_of(*execution, *socket, value, size) : -1;
  }
  return option_of(*end, level, option, value, size);
}

int setsockopt(int file, int level, int option, const void* value, socklen_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(setsockopt)(file, level, option, value, size));
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  const bool receives = level == SOL_SOCKET && option == SO_RCVTIMEO;
  if (receives || (level == SOL_SOCKET && option == SO_SNDTIMEO)) {
    const int error = set_timeout(receives ? end->receive_timeout : end->send_timeout, value, size);
    return error == 0 ? 0 : (errno = error, -1);
  }
  const int error = set_option(*end, level, option, value, size);
  return error == 0 ? 0 : (errno = error, -1);
}

}  // extern "C"

LOCKSTEP_LINKED(socket_options)
