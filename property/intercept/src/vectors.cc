#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"
#include "transfers.h"

// Calls with several buffers. Each call is one transfer, as in Linux: a partial transfer may end
// within any of the buffers.

namespace lockstep::intercept {

namespace {

using Buffers = std::span<const iovec>;

// Returns the number of bytes in the buffers; none if a call could not return that number.
std::optional<std::size_t> bytes_in(Buffers buffers) {
  std::size_t bytes = 0;
  for (const iovec& buffer : buffers) {
    if (buffer.iov_len > SSIZE_MAX - bytes) return std::nullopt;
    bytes += buffer.iov_len;
  }
  return bytes;
}

template <typename Transmit>
ssize_t gather(Buffers buffers, Transmit transmit_all) {
  const std::optional<std::size_t> size = bytes_in(buffers);
  if (!size) return errno = EINVAL, -1;
  std::string bytes;
  bytes.reserve(*size);
  for (const iovec& buffer : buffers) {
    bytes.append(static_cast<const char*>(buffer.iov_base), buffer.iov_len);
  }
  return transmit_all(std::string_view(bytes));
}

template <typename Receive>
ssize_t scatter(Buffers buffers, Receive receive_into) {
  const std::optional<std::size_t> size = bytes_in(buffers);
  if (!size) return errno = EINVAL, -1;
  const auto bytes = std::make_unique_for_overwrite<char[]>(*size);
  const ssize_t received = receive_into(std::span<char>(bytes.get(), *size));
  auto left = static_cast<std::size_t>(std::max<ssize_t>(received, 0));
  const char* next = bytes.get();
  for (const iovec& buffer : buffers) {
    const std::size_t part = std::min(left, buffer.iov_len);
    if (part == 0) continue;
    std::memcpy(buffer.iov_base, next, part);
    next += part;
    left -= part;
  }
  return received;
}

// Returns false and sets errno if a transfer in that direction (O_RDONLY, O_WRONLY) with so many
// buffers fails whatever is in them. One without bytes asks the descriptor nothing else.
bool can_transfer(Execution& execution, int file, int direction, int count) {
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  if (!descriptor) return false;
  const bool is_open = descriptor->access() == O_RDWR || descriptor->access() == direction;
  if (!is_open) return errno = EBADF, false;
  const bool is_valid = count >= 0 && count <= IOV_MAX;
  if (!is_valid || !descriptor->has(direction)) return errno = EINVAL, false;
  return true;
}

ssize_t send_message(Execution& execution, std::string_view call, int file, const msghdr& message,
                     int flags) {
  if (message.msg_controllen > 0) {
    execution.refuse(call, "ancillary data (msg_control) cannot be intercepted");
  }
  if (message.msg_iovlen > IOV_MAX) return errno = EMSGSIZE, -1;
  execution.point(call);
  return gather({message.msg_iov, message.msg_iovlen}, [&](std::string_view bytes) {
    return transmit(execution, call, file, bytes, flags);
  });
}

// send_message() refuses ancillary data, so there is none to receive.
ssize_t receive_message(Execution& execution, std::string_view call, int file, msghdr& message,
                        int flags) {
  if (message.msg_iovlen > IOV_MAX) return errno = EMSGSIZE, -1;
  execution.point(call);
  const Buffers buffers(message.msg_iov, message.msg_iovlen);
  const ssize_t received = scatter(
      buffers, [&](std::span<char> into) { return receive(execution, call, file, into, flags); });
  if (received < 0) return received;
  message.msg_namelen = 0;
  message.msg_controllen = 0;
  message.msg_flags = 0;
  return received;
}

// An error is reported only if it comes with the first message.
template <typename Transfer>
int transfer_each(std::span<mmsghdr> messages, Transfer transfer) {
  int count = 0;
  for (mmsghdr& message : messages) {
    const ssize_t bytes = transfer(message.msg_hdr);
    if (bytes < 0) return count > 0 ? count : -1;
    message.msg_len = static_cast<unsigned>(bytes);
    ++count;
  }
  return count;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

ssize_t readv(int file, const iovec* buffers, int count) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(readv)(file, buffers, count));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(readv)(file, buffers, count);
  if (!can_transfer(*execution, file, O_RDONLY, count)) return -1;
  execution->point("readv");
  const Buffers all(buffers, static_cast<std::size_t>(count));
  return scatter(all, [&](std::span<char> into) -> ssize_t {
    return into.empty() ? 0 : read_from(*execution, "readv", file, into);
  });
}

ssize_t writev(int file, const iovec* buffers, int count) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(writev)(file, buffers, count));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(writev)(file, buffers, count);
  if (!can_transfer(*execution, file, O_WRONLY, count)) return -1;
  execution->point("writev");
  const Buffers all(buffers, static_cast<std::size_t>(count));
  return gather(all, [&](std::string_view bytes) -> ssize_t {
    return bytes.empty() ? 0 : write_to(*execution, "writev", file, bytes);
  });
}

ssize_t sendmsg(int file, const msghdr* message, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sendmsg)(file, message, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(sendmsg)(file, message, flags);
  return send_message(*execution, "sendmsg", file, *message, flags);
}

int sendmmsg(int file, mmsghdr* messages, unsigned count, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sendmmsg)(file, messages, count, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(sendmmsg)(file, messages, count, flags);
  return transfer_each({messages, count}, [&](const msghdr& message) {
    return send_message(*execution, "sendmmsg", file, message, flags);
  });
}

ssize_t recvmsg(int file, msghdr* message, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(recvmsg)(file, message, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(recvmsg)(file, message, flags);
  return receive_message(*execution, "recvmsg", file, *message, flags);
}

// As in Linux, the timeout is checked only when a message has come, so the call may wait for the
// next one forever.
int recvmmsg(int file, mmsghdr* messages, unsigned count, int flags, timespec* time) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(recvmmsg)(file, messages, count, flags, time));
  if (!Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(recvmmsg)(file, messages, count, flags, time);
  }
  if (time && !is_valid_for_linux(*time)) return errno = EINVAL, -1;
  std::optional<std::chrono::nanoseconds> until;
  if (time) until = execution->host().now() + from_timespec(*time);
  int how = flags & ~MSG_WAITFORONE;
  bool is_late = false;
  return transfer_each({messages, count}, [&](msghdr& message) -> ssize_t {
    if (is_late) return -1;
    const ssize_t bytes = receive_message(*execution, "recvmmsg", file, message, how);
    if ((flags & MSG_WAITFORONE) != 0) how |= MSG_DONTWAIT;
    is_late = until && execution->host().now() >= *until;
    return bytes;
  });
}

}  // extern "C"

LOCKSTEP_LINKED(vectors)
