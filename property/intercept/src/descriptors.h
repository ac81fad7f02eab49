#pragma once

#include <poll.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// A file, pipe or socket of an execution. Nothing here waits: an operation that would have to
// returns -1 with EAGAIN.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  virtual ~Descriptor() = default;

  // POLLIN, POLLOUT, POLLHUP, POLLERR.
  [[nodiscard]] virtual short ready() = 0;
  virtual ssize_t read(char* into, std::size_t size);
  // The same, but leaves the bytes there.
  virtual ssize_t peek(char* into, std::size_t size);
  virtual ssize_t write(std::string_view bytes);
  // Whether a write that takes only some of the bytes goes on with the rest, if it may wait.
  [[nodiscard]] virtual bool is_stream() const { return false; }
  // When one of these events comes by itself, in the host's time.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> due(short events) {
    static_cast<void>(events);
    return std::nullopt;
  }
  // The last program descriptor that stood for it has been closed.
  virtual void close() {}

  bool nonblocking = false;
};

// The descriptors of an execution, by numbers that real ones do not reach. All others are real.
class Descriptors {
 public:
  static constexpr int kFirst = 512;
  static constexpr int kMost = 512;  // Below FD_SETSIZE.

  explicit Descriptors(Execution& execution) : execution_(execution) {}

  // The lowest free number.
  int add(std::shared_ptr<Descriptor> descriptor);
  [[nodiscard]] static bool is_ours(int number) { return number >= kFirst; }
  // Null, and errno is EBADF, if there is none. Valid until another one is added or closed: whoever
  // waits meanwhile takes a copy.
  [[nodiscard]] const std::shared_ptr<Descriptor>& find(int number) const;
  int close(int number);
  // A port that no socket has.
  [[nodiscard]] std::uint16_t next_port() { return port_++; }
  [[nodiscard]] const std::vector<std::shared_ptr<Descriptor>>& all() const { return table_; }

 private:
  Execution& execution_;
  std::vector<std::shared_ptr<Descriptor>> table_;
  std::uint16_t port_ = 30'000;
};

[[nodiscard]] inline std::optional<std::chrono::nanoseconds> earlier(
    std::optional<std::chrono::nanoseconds> a, std::optional<std::chrono::nanoseconds> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Waits until `ready` of a blocking descriptor has one of these events. A nonblocking one, and one
// with an end, do not wait.
void wait_until_ready(Execution& execution, std::string_view call, Descriptor& descriptor,
                      short events);

}  // namespace lockstep::intercept
