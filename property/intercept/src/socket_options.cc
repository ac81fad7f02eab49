#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

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

// The value of an option that has not been set: those of tcp(7), tcp_wmem and tcp_rmem.
int usual(int level, int option) {
  if (level == SOL_SOCKET && option == SO_SNDBUF) return 16'384;
  if (level == SOL_SOCKET && option == SO_RCVBUF) return 131'072;
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
  const auto set = end.options.find({level, option});
  if (set == end.options.end()) return show(usual(level, option), value, size);
  *size = static_cast<socklen_t>(set->second.copy(static_cast<char*>(value), *size));
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

// Most options tune a real network, and have no effect.
int setsockopt(int file, int level, int option, const void* value, socklen_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(setsockopt)(file, level, option, value, size));
  const std::shared_ptr<ConnectionEnd> end = end_of(*execution, file);
  if (!end) return -1;
  const bool receives = level == SOL_SOCKET && option == SO_RCVTIMEO;
  if (receives || (level == SOL_SOCKET && option == SO_SNDTIMEO)) {
    const int error = set_timeout(receives ? end->receive_timeout : end->send_timeout, value, size);
    return error == 0 ? 0 : (errno = error, -1);
  }
  end->options[{level, option}].assign(static_cast<const char*>(value), size);
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(socket_options)
