#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

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

ssize_t gather_and_transmit(Execution& execution, std::string_view call, int file, Buffers buffers,
                            int flags) {
  const std::optional<std::size_t> size = bytes_in(buffers);
  if (!size) return errno = EINVAL, -1;
  std::string bytes;
  bytes.reserve(*size);
  for (const iovec& buffer : buffers) {
    bytes.append(static_cast<const char*>(buffer.iov_base), buffer.iov_len);
  }
  return transmit(execution, call, file, bytes, flags);
}

ssize_t receive_and_scatter(Execution& execution, std::string_view call, int file, Buffers buffers,
                            int flags) {
  const std::optional<std::size_t> size = bytes_in(buffers);
  if (!size) return errno = EINVAL, -1;
  const auto bytes = std::make_unique_for_overwrite<char[]>(*size);
  const ssize_t received = receive(execution, call, file, {bytes.get(), *size}, flags);
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

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

ssize_t readv(int file, const iovec* buffers, int count) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(readv)(file, buffers, count));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(readv)(file, buffers, count);
  if (count < 0 || count > IOV_MAX) return errno = EINVAL, -1;
  execution->point("readv");
  const Buffers all(buffers, static_cast<std::size_t>(count));
  return receive_and_scatter(*execution, "readv", file, all, 0);
}

ssize_t writev(int file, const iovec* buffers, int count) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(writev)(file, buffers, count));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(writev)(file, buffers, count);
  if (count < 0 || count > IOV_MAX) return errno = EINVAL, -1;
  execution->point("writev");
  const Buffers all(buffers, static_cast<std::size_t>(count));
  return gather_and_transmit(*execution, "writev", file, all, 0);
}

ssize_t sendmsg(int file, const msghdr* message, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sendmsg)(file, message, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(sendmsg)(file, message, flags);
  if (message->msg_controllen > 0) {
    execution->refuse("sendmsg", "ancillary data (msg_control) cannot be intercepted");
  }
  if (message->msg_iovlen > IOV_MAX) return errno = EMSGSIZE, -1;
  execution->point("sendmsg");
  return gather_and_transmit(*execution, "sendmsg", file, {message->msg_iov, message->msg_iovlen},
                             flags);
}

// sendmsg() refuses ancillary data, so there is none to receive.
ssize_t recvmsg(int file, msghdr* message, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(recvmsg)(file, message, flags));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(recvmsg)(file, message, flags);
  if (message->msg_iovlen > IOV_MAX) return errno = EMSGSIZE, -1;
  execution->point("recvmsg");
  const ssize_t received = receive_and_scatter(*execution, "recvmsg", file,
                                               {message->msg_iov, message->msg_iovlen}, flags);
  if (received < 0) return received;
  message->msg_namelen = 0;
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return received;
}

}  // extern "C"

LOCKSTEP_LINKED(vectors)
