#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// A file, pipe or socket of an execution. Operations do not wait: they return -1 with errno EAGAIN
// instead. An operation that a descriptor does not support fails with EINVAL.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  virtual ~Descriptor() = default;

  // Returns the events of poll() that hold now.
  [[nodiscard]] virtual short ready() = 0;
  virtual ssize_t read(char* into, std::size_t size);
  // Like read(), but does not remove the bytes.
  virtual ssize_t peek(char* into, std::size_t size);
  virtual ssize_t write(std::string_view bytes);
  // Returns the error (errno) of any read of that many bytes, which does not wait; 0 if such reads
  // can succeed.
  [[nodiscard]] virtual int read_error(std::size_t size) const {
    static_cast<void>(size);
    return 0;
  }
  // Whether a blocking write goes on after a partial one until it has written all bytes.
  [[nodiscard]] virtual bool is_stream() const { return false; }
  // Whether a write of these bytes does not wait. Other bytes than those of ready()'s POLLOUT may
  // need more room.
  [[nodiscard]] virtual bool takes(std::string_view bytes) {
    static_cast<void>(bytes);
    return (ready() & (POLLOUT | POLLHUP | POLLERR)) != 0;
  }
  // Returns the host's time at which one of these events will hold without a further call; none if
  // only a call or the network can cause it.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> due(short events) {
    static_cast<void>(events);
    return std::nullopt;
  }
  // The kind of file that fstat() tells: S_IFIFO, S_IFSOCK, or 0 for others.
  [[nodiscard]] virtual mode_t type() const { return 0; }
  // O_RDONLY, O_WRONLY or O_RDWR.
  [[nodiscard]] virtual int access() const { return O_RDWR; }
  // Whether it has reads (O_RDONLY) or writes (O_WRONLY) at all.
  [[nodiscard]] virtual bool has(int) const { return true; }
  // Whether it can be read and written at an offset (pread, pwrite).
  [[nodiscard]] virtual bool has_offsets() const { return false; }
  // Whether its other end belongs to a thread of the execution.
  [[nodiscard]] virtual bool has_local_peer() const { return false; }
  // Called when its last number has been closed, and no call uses it any more.
  virtual void close() {}
  // How long a blocking call waits for these events at most (SO_RCVTIMEO, SO_SNDTIMEO); for ever if
  // none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> timeout(short events) const {
    return (events & POLLIN) != 0 ? receive_timeout : send_timeout;
  }

  bool nonblocking = false;
  std::optional<std::chrono::nanoseconds> receive_timeout;
  std::optional<std::chrono::nanoseconds> send_timeout;
  std::uint32_t numbers = 0;  // Under which it is open.
  std::uint32_t users = 0;    // Calls of threads that are under way (InUse).
};

// The descriptors of an execution. Each process has its own numbers, all of them above those that
// real descriptors reach, so a number alone tells whether a descriptor is real. Functions with a
// number mean the running thread's process.
class Descriptors {
 public:
  static constexpr int kFirst = 512;
  static constexpr int kMost = 512;  // All numbers are below FD_SETSIZE, for select().

  explicit Descriptors(Execution& execution) : execution_(execution) {}

  // Adds a descriptor under the lowest free number, as POSIX demands, and returns the number; -1
  // with errno EMFILE if there are too many.
  int add(std::shared_ptr<Descriptor> descriptor) {
    return add_above(kFirst, std::move(descriptor));
  }
  // Like add(), with numbers that are not below `least`.
  int add_above(int least, std::shared_ptr<Descriptor> descriptor);
  // Adds a descriptor under that number, one of ours, and closes the number before.
  void put(int number, std::shared_ptr<Descriptor> descriptor);
  [[nodiscard]] static bool is_ours(int number) { return number >= kFirst; }
  [[nodiscard]] static bool can_be_ours(int number) {
    return number >= kFirst && number < kFirst + kMost;
  }
  // Returns null with errno EBADF if there is none. The reference is valid until a descriptor is
  // added or closed: a caller that waits in between copies the pointer.
  [[nodiscard]] const std::shared_ptr<Descriptor>& find(int number);
  int close(int number);
  // Closes all descriptors from `first` to `last`.
  void close_range(int first, int last);
  // A call that has used a descriptor is over.
  void is_used_no_more(Descriptor& descriptor) {
    if (!lingering_.empty()) [[unlikely]]
      close_if_lingering(descriptor);
  }
  // Closes the descriptors of a process that has ended, in the order of their numbers.
  void close_all_of(const Thread& root);
  // Returns the next port for sockets without one.
  [[nodiscard]] std::uint16_t next_port() {
    return std::exchange(port_, port_ == kLastPort ? kFirstPort : port_ + 1);
  }
  // A socket has been bound to that address.
  void bound(const sockaddr_in& to) { bound_.emplace(to.sin_port, to.sin_addr.s_addr); }
  // Whether a socket of this execution has been bound to that address, or to one that includes it.
  // It may have been closed since.
  [[nodiscard]] bool was_bound(const sockaddr_in& address) const {
    return bound_.contains({address.sin_port, address.sin_addr.s_addr}) ||
           bound_.contains({address.sin_port, htonl(INADDR_ANY)});
  }
  // Visits the descriptors of all processes, once for each number, and those without a number that
  // calls still use, until one is accepted; returns null if none is.
  template <class Accept>
  [[nodiscard]] Descriptor* find_any(Accept accept) const {
    for (const Table& table : tables_) {
      for (const std::shared_ptr<Descriptor>& descriptor : table) {
        if (descriptor && accept(*descriptor)) return descriptor.get();
      }
    }
    for (const Lingering& some : lingering_) {
      if (accept(*some.descriptor)) return some.descriptor.get();
    }
    return nullptr;
  }

 private:
  using Table = std::vector<std::shared_ptr<Descriptor>>;  // By number.

  // The numbers of the running thread's process.
  [[nodiscard]] Table& own() {
    const std::size_t process = execution_.running()->root().number();
    return process < tables_.size() ? tables_[process] : add_table(process);
  }
  [[nodiscard]] Table& add_table(std::size_t process);
  void close_if_lingering(Descriptor& descriptor);
  void use(std::size_t index, std::shared_ptr<Descriptor> descriptor);
  // Closes a descriptor that has lost a number.
  void lost_number(std::shared_ptr<Descriptor> descriptor, const Thread& owner);

  Execution& execution_;
  std::vector<Table> tables_;  // By the number of the process's first thread.
  // Descriptors without a number that calls still use.
  struct Lingering {
    std::shared_ptr<Descriptor> descriptor;
    const Thread* owner;  // The first thread of its process.
  };
  std::vector<Lingering> lingering_;
  std::set<std::pair<in_port_t, in_addr_t>> bound_;
  static constexpr std::uint16_t kFirstPort = 30'000;
  static constexpr std::uint16_t kLastPort = 60'999;
  std::uint16_t port_ = kFirstPort;
};

// poll() has two names for each of these events.
[[nodiscard]] inline short with_both_names(short events) {
  if ((events & POLLIN) != 0) events |= POLLRDNORM;
  if ((events & POLLOUT) != 0) events |= POLLWRNORM;
  return events;
}
[[nodiscard]] inline short with_one_name(short events) {
  if ((events & POLLRDNORM) != 0) events |= POLLIN;
  if ((events & POLLWRNORM) != 0) events |= POLLOUT;
  return events;
}

[[nodiscard]] inline std::optional<std::chrono::nanoseconds> earlier(
    std::optional<std::chrono::nanoseconds> a, std::optional<std::chrono::nanoseconds> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// A call of the running thread uses the descriptor. As in Linux, another thread that closes its
// last number does not wake the call: the descriptor stays open until the call is over.
class InUse {
 public:
  InUse(Descriptors& all, Descriptor& descriptor) : all_(all), descriptor_(descriptor) {
    ++descriptor_.users;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if (--descriptor_.users == 0) all_.is_used_no_more(descriptor_);
  }

 private:
  Descriptors& all_;
  Descriptor& descriptor_;
};

// Returns the time at which a call that begins now gives up its wait for these events; none if it
// waits for ever.
[[nodiscard]] std::optional<std::chrono::nanoseconds> time_to_give_up(Execution& execution,
                                                                      const Descriptor& descriptor,
                                                                      short events);
// Waits until a blocking descriptor has one of these events, has hung up or has an error, or until
// that time. Returns at once for a nonblocking descriptor.
void wait_until_ready(Execution& execution, std::string_view call, Descriptor& descriptor,
                      short events, std::optional<std::chrono::nanoseconds> until);

}  // namespace lockstep::intercept
