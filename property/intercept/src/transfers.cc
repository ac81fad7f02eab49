#include "transfers.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"
#include "signals.h"
#include "sockets.h"

// Calls with one buffer. Connections are streams, so recvfrom() returns no address, and sendto()
// ignores its own.

namespace lockstep::intercept {

namespace {

class HasRoom final : public Condition {
 public:
  HasRoom(Descriptor& descriptor, std::string_view bytes)
      : descriptor_(descriptor), bytes_(bytes) {}
  bool holds() override { return descriptor_.takes(bytes_); }

 private:
  Descriptor& descriptor_;
  std::string_view bytes_;
};

// Like the descriptor's write(), but waits until the descriptor takes the bytes, or until that
// time.
ssize_t write_in_time(Execution& execution, std::string_view call, Descriptor& descriptor,
                      std::string_view bytes, std::optional<std::chrono::nanoseconds> until) {
  HasRoom room(descriptor, bytes);
  for (;;) {
    const ssize_t written = descriptor.write(bytes);
    if (written >= 0 || errno != EAGAIN || descriptor.nonblocking) return written;
    if (until && execution.host().now() >= *until) return errno = EAGAIN, -1;
    execution.wait(call, nullptr, earlier(until, descriptor.due(POLLOUT)), &room);
  }
}

// A write to a connection without a reader raises SIGPIPE, which ends the process by default.
void raise_broken_pipe(Execution& execution, std::string_view call) {
  Thread& thread = *execution.running();
  if (::sigismember(&execution.signals().blocked(thread), SIGPIPE) == 1) return;
  if (execution.signals().action(thread.root(), SIGPIPE).sa_handler == SIG_DFL) {
    constexpr int kStatusOfShells = 128 + SIGPIPE;
    execution.end_process(call, kStatusOfShells);
    execution.refuse(call, "SIGPIPE ends the process: ignore it, or send with MSG_NOSIGNAL");
  }
  deliver(execution, call, SIGPIPE);
}

ssize_t write_all(Execution& execution, std::string_view call, int file, std::string_view bytes,
                  int flags) {
  const std::shared_ptr<Descriptor> descriptor = execution.descriptors().find(file);
  if (!descriptor) return -1;
  const InUse use(execution.descriptors(), *descriptor);
  const bool waits = (flags & MSG_DONTWAIT) == 0;
  const auto until = time_to_give_up(execution, *descriptor, POLLOUT);
  const ssize_t first =
      waits ? write_in_time(execution, call, *descriptor, bytes, until) : descriptor->write(bytes);
  execution.descriptors_changed();
  if (first < 0 && errno == EPIPE && (flags & MSG_NOSIGNAL) == 0) {
    raise_broken_pipe(execution, call);
    return errno = EPIPE, -1;
  }
  if (first <= 0 || !waits || descriptor->nonblocking || !descriptor->is_stream()) return first;
  auto all = static_cast<std::size_t>(first);
  while (all < bytes.size()) {
    const ssize_t more = write_in_time(execution, call, *descriptor, bytes.substr(all), until);
    if (more <= 0) break;
    execution.descriptors_changed();
    all += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(all);
}

ssize_t read_some(Execution& execution, std::string_view call, int file, std::span<char> into,
                  int flags) {
  const std::shared_ptr<Descriptor> descriptor = execution.descriptors().find(file);
  if (!descriptor) return -1;
  if (const int error = descriptor->read_error(into.size())) return errno = error, -1;
  const InUse use(execution.descriptors(), *descriptor);
  const bool waits = (flags & MSG_DONTWAIT) == 0;
  const auto until = time_to_give_up(execution, *descriptor, POLLIN);
  if (waits) wait_until_ready(execution, call, *descriptor, POLLIN, until);
  if ((flags & MSG_PEEK) != 0) return descriptor->peek(into.data(), into.size());
  const ssize_t first = descriptor->read(into.data(), into.size());
  if (first <= 0 || !waits || descriptor->nonblocking || (flags & MSG_WAITALL) == 0) return first;
  auto all = static_cast<std::size_t>(first);
  while (all < into.size()) {
    wait_until_ready(execution, call, *descriptor, POLLIN, until);
    const ssize_t more = descriptor->read(into.data() + all, into.size() - all);
    if (more <= 0) break;
    all += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(all);
}

}  // namespace

ssize_t transmit(Execution& execution, std::string_view call, int file, std::string_view bytes,
                 int flags) {
  return end_of(execution, file) ? write_all(execution, call, file, bytes, flags) : -1;
}

ssize_t receive(Execution& execution, std::string_view call, int file, std::span<char> into,
                int flags) {
  const std::shared_ptr<ConnectionEnd> end = end_of(execution, file);
  if (!end) return -1;
  // As in tcp(7), the bytes are discarded.
  const bool discards = (flags & MSG_TRUNC) != 0 && dynamic_cast<const Socket*>(end.get());
  if (!discards) return read_some(execution, call, file, into, flags);
  std::vector<char> discarded(into.size());
  return read_some(execution, call, file, discarded, flags);
}

ssize_t write_to(Execution& execution, std::string_view call, int file, std::string_view bytes) {
  return write_all(execution, call, file, bytes, 0);
}

ssize_t read_from(Execution& execution, std::string_view call, int file, std::span<char> into) {
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  if (descriptor && into.empty() && descriptor->read_error(0) == 0) return 0;
  return read_some(execution, call, file, into, 0);
}

namespace {

std::string_view bytes_at(const void* bytes, std::size_t size) {
  return {static_cast<const char*>(bytes), size};
}
std::span<char> room_at(void* into, std::size_t size) { return {static_cast<char*>(into), size}; }

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

ssize_t send(int file, const void* bytes, size_t size, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(send)(file, bytes, size, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(send)(file, bytes, size, flags);
  execution->point("send");
  return transmit(*execution, "send", file, bytes_at(bytes, size), flags);
}

ssize_t recv(int file, void* into, size_t size, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(recv)(file, into, size, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(recv)(file, into, size, flags);
  execution->point("recv");
  return receive(*execution, "recv", file, room_at(into, size), flags);
}

ssize_t recvfrom(int file, void* into, size_t size, int flags, sockaddr* from, socklen_t* length) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(recvfrom)(file, into, size, flags, from, length));
  if (!Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(recvfrom)(file, into, size, flags, from, length);
  }
  execution->point("recvfrom");
  if (from && length) *length = 0;
  return receive(*execution, "recvfrom", file, room_at(into, size), flags);
}

ssize_t sendto(int file, const void* bytes, size_t size, int flags, const sockaddr* to,
               socklen_t length) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sendto)(file, bytes, size, flags, to, length));
  if (!Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(sendto)(file, bytes, size, flags, to, length);
  }
  execution->point("sendto");
  return transmit(*execution, "sendto", file, bytes_at(bytes, size), flags);
}

ssize_t read(int file, void* into, size_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(read)(file, into, size));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(read)(file, into, size);
  execution->point("read");
  return read_from(*execution, "read", file, room_at(into, size));
}

ssize_t write(int file, const void* bytes, size_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(write)(file, bytes, size));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(write)(file, bytes, size);
  execution->point("write");
  return write_to(*execution, "write", file, bytes_at(bytes, size));
}

}  // extern "C"

LOCKSTEP_LINKED(transfers)
