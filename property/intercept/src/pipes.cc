#include "pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "calls.h"
#include "handled.h"
#include "real.h"
#include "sockets.h"

namespace lockstep::intercept {

namespace {

// The bytes in flight in one direction. An end that closes, or shuts this direction down, gives up
// its side of it.
class Channel {
 public:
  ssize_t peek(char* into, std::size_t size) {
    if (!bytes_.empty()) return static_cast<ssize_t>(bytes_.copy(into, size));
    if (!is_over()) return errno = EAGAIN, -1;
    happens_after(this);
    return 0;
  }
  ssize_t read(char* into, std::size_t size) {
    const ssize_t taken = peek(into, size);
    if (taken <= 0) return taken;
    const bool was_full = room() < PIPE_BUF;
    bytes_.erase(0, static_cast<std::size_t>(taken));
    happens_after(this);
    if (was_full) Execution::current()->descriptors_changed();  // A writer may wait for room.
    return taken;
  }
  ssize_t write(std::string_view bytes) {
    if (is_over()) {
      happens_after(this);
      return errno = EPIPE, -1;
    }
    if (room() == 0 && !bytes.empty()) return errno = EAGAIN, -1;
    const std::string_view part = bytes.substr(0, room());
    bytes_ += part;
    happens_before(this);
    return static_cast<ssize_t>(part.size());
  }
  void give_up_reading() {
    reader_gone_ = true;
    happens_before(this);
  }
  void give_up_writing() {
    writer_gone_ = true;
    happens_before(this);
  }
  void reset() { is_reset_ = true; }
  // Returns whether the writer's end has reset the connection and no call has told so.
  [[nodiscard]] bool is_reset() const { return is_reset_; }
  // Like is_reset(); the call tells so.
  [[nodiscard]] bool take_reset() {
    if (is_reset_) happens_after(this);
    return std::exchange(is_reset_, false);
  }
  [[nodiscard]] bool has_bytes() const { return !bytes_.empty(); }
  [[nodiscard]] std::size_t room() const { return kMost - bytes_.size(); }
  [[nodiscard]] bool reader_gone() const { return reader_gone_; }
  [[nodiscard]] bool writer_gone() const { return writer_gone_; }
  [[nodiscard]] bool is_over() const { return reader_gone_ || writer_gone_; }

 private:
  static constexpr std::size_t kMost = 65536;
  std::string bytes_;
  bool reader_gone_ = false;
  bool writer_gone_ = false;
  bool is_reset_ = false;
};

// One end of a pipe: `in` is null at the end for writing, and `out` at the other one.
class PipeEnd final : public Descriptor {
 public:
  PipeEnd(std::shared_ptr<Channel> in, std::shared_ptr<Channel> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  short ready() override {
    int events = 0;
    if (in_ && in_->has_bytes()) events |= POLLIN;
    if (in_ && in_->writer_gone()) events |= POLLHUP;
    if (out_ && out_->reader_gone()) events |= POLLERR;
    if (out_ && out_->room() >= PIPE_BUF) events |= POLLOUT;
    return static_cast<short>(events);
  }
  [[nodiscard]] int read_error(std::size_t) const override { return in_ ? 0 : EBADF; }
  ssize_t read(char* into, std::size_t size) override { return in_->read(into, size); }
  ssize_t peek(char* into, std::size_t size) override { return in_->peek(into, size); }
  ssize_t write(std::string_view bytes) override {
    if (!out_) return errno = EBADF, -1;
    if (bytes.empty()) return 0;
    return takes(bytes) ? out_->write(bytes) : (errno = EAGAIN, -1);
  }
  // Up to PIPE_BUF bytes stay together.
  [[nodiscard]] bool takes(std::string_view bytes) override {
    if (!out_ || out_->is_over()) return true;
    return bytes.size() <= PIPE_BUF ? out_->room() >= bytes.size() : out_->room() > 0;
  }
  [[nodiscard]] bool is_stream() const override { return true; }
  [[nodiscard]] mode_t type() const override { return S_IFIFO; }
  [[nodiscard]] int access() const override { return in_ ? O_RDONLY : O_WRONLY; }
  void close() override {
    if (in_) in_->give_up_reading();
    if (out_) out_->give_up_writing();
  }

 private:
  std::shared_ptr<Channel> in_;
  std::shared_ptr<Channel> out_;
};

// One end of a socket pair.
class PairEnd final : public ConnectionEnd {
 public:
  PairEnd(std::shared_ptr<Channel> in, std::shared_ptr<Channel> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  // A transfer that fails, or finds the end, does not wait.
  short ready() override {
    int events = in_->is_reset() ? POLLERR : 0;
    if (in_->has_bytes() || in_->is_over()) events |= POLLIN;
    if (in_->is_over()) events |= POLLRDHUP;
    if (out_->room() > 0 || out_->is_over()) events |= POLLOUT;
    if (in_->is_over() && out_->is_over()) events |= POLLHUP;
    return static_cast<short>(events);
  }
  ssize_t read(char* into, std::size_t size) override {
    if (finds_reset()) return errno = ECONNRESET, -1;
    return in_->read(into, size);
  }
  ssize_t peek(char* into, std::size_t size) override {
    if (finds_reset()) return errno = ECONNRESET, -1;
    return in_->peek(into, size);
  }
  ssize_t write(std::string_view bytes) override { return out_->write(bytes); }
  int take_error() override { return in_->take_reset() ? ECONNRESET : 0; }
  [[nodiscard]] bool is_stream() const override { return true; }
  int shut(int how) override {
    if (how != SHUT_WR) in_->give_up_reading();
    if (how != SHUT_RD) out_->give_up_writing();
    return 0;
  }
  // An end that has not read all bytes resets the connection.
  void close() override {
    if (in_->has_bytes()) out_->reset();
    shut(SHUT_RDWR);
  }
  // The ends of a pair have no names, only their family.
  [[nodiscard]] std::string own_name() const override {
    const sa_family_t family = AF_UNIX;
    return {reinterpret_cast<const char*>(&family), sizeof family};
  }
  [[nodiscard]] std::string peer_name() const override { return own_name(); }

 private:
  // Whether a reader who has all bytes is told of a reset.
  [[nodiscard]] bool finds_reset() { return !in_->has_bytes() && in_->take_reset(); }

  std::shared_ptr<Channel> in_;
  std::shared_ptr<Channel> out_;
};

}  // namespace

std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pipe() {
  const auto channel = std::make_shared<Channel>();
  return {std::make_shared<PipeEnd>(channel, nullptr), std::make_shared<PipeEnd>(nullptr, channel)};
}

std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pair() {
  const auto there = std::make_shared<Channel>();
  const auto back = std::make_shared<Channel>();
  return {std::make_shared<PairEnd>(back, there), std::make_shared<PairEnd>(there, back)};
}

namespace {

int add_both(Execution& execution,
             const std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>>& ends,
             int* files, bool nonblocking) {
  ends.first->nonblocking = nonblocking;
  ends.second->nonblocking = nonblocking;
  Descriptors& descriptors = execution.descriptors();
  const int first = descriptors.add(ends.first);
  if (first < 0) return -1;
  const int second = descriptors.add(ends.second);
  if (second < 0) {
    descriptors.close(first);
    return errno = EMFILE, -1;
  }
  files[0] = first;
  files[1] = second;
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pipe(int* files) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pipe)(files));
  return add_both(*execution, make_pipe(), files, false);
}

int pipe2(int* files, int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pipe2)(files, flags));
  if ((flags & O_DIRECT) != 0) execution->refuse("pipe2", "packets cannot be intercepted");
  if ((flags & ~(O_NONBLOCK | O_CLOEXEC)) != 0) return errno = EINVAL, -1;
  return add_both(*execution, make_pipe(), files, (flags & O_NONBLOCK) != 0);
}

int socketpair(int domain, int type, int protocol, int* files) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(socketpair)(domain, type, protocol, files));
  constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  if (domain == AF_INET || domain == AF_INET6) return errno = EOPNOTSUPP, -1;
  if (domain != AF_UNIX || (type & ~kFlags) != SOCK_STREAM) {
    execution->refuse("socketpair", "only pairs of AF_UNIX and SOCK_STREAM can be intercepted");
  }
  if (protocol != 0 && protocol != PF_UNIX) return errno = EPROTONOSUPPORT, -1;
  return add_both(*execution, make_pair(), files, (type & SOCK_NONBLOCK) != 0);
}

}  // extern "C"

LOCKSTEP_LINKED(pipes)
