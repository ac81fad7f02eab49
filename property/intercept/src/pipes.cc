#include "pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "calls.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

// The bytes in flight in one direction.
struct Channel {
  static constexpr std::size_t kMost = 65536;
  std::string bytes;
  bool reader_gone = false;
  bool writer_gone = false;
};

// One end of a pipe or of a socket pair. Each end of a pipe lacks one direction.
class PipeEnd final : public Descriptor {
 public:
  PipeEnd(std::shared_ptr<Channel> in, std::shared_ptr<Channel> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  short ready() override {
    int events = 0;
    if (in_ && !in_->bytes.empty()) events |= POLLIN;
    if (in_ && in_->writer_gone) events |= POLLHUP | (out_ ? POLLIN : 0);
    if (out_ && out_->reader_gone) events |= POLLERR;
    if (out_ && out_->bytes.size() < Channel::kMost) events |= POLLOUT;
    return static_cast<short>(events);
  }
  ssize_t read(char* into, std::size_t size) override {
    const ssize_t taken = peek(into, size);
    if (taken <= 0) return taken;
    const bool was_full = in_->bytes.size() >= Channel::kMost;
    in_->bytes.erase(0, static_cast<std::size_t>(taken));
    happens_after(in_.get());
    if (was_full) Execution::current()->descriptors_changed();  // A writer may wait for room.
    return taken;
  }
  ssize_t peek(char* into, std::size_t size) override {
    if (!in_) return errno = EBADF, -1;
    if (in_->bytes.empty()) return in_->writer_gone ? 0 : (errno = EAGAIN, -1);
    return static_cast<ssize_t>(in_->bytes.copy(into, size));
  }
  ssize_t write(std::string_view bytes) override {
    if (!out_) return errno = EBADF, -1;
    if (out_->reader_gone) return errno = EPIPE, -1;
    const std::size_t room = Channel::kMost - std::min(Channel::kMost, out_->bytes.size());
    if (room == 0) return errno = EAGAIN, -1;
    const std::string_view part = bytes.substr(0, room);
    out_->bytes += part;
    happens_before(out_.get());
    return static_cast<ssize_t>(part.size());
  }
  [[nodiscard]] bool is_stream() const override { return true; }
  void close() override {
    if (in_) in_->reader_gone = true;
    if (out_) out_->writer_gone = true;
  }

 private:
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
  return {std::make_shared<PipeEnd>(back, there), std::make_shared<PipeEnd>(there, back)};
}

namespace {

int add_both(Execution& execution,
             std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> ends, int* files,
             bool nonblocking) {
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
  return add_both(*execution, make_pipe(), files, (flags & O_NONBLOCK) != 0);
}

int socketpair(int domain, int type, int protocol, int* files) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(socketpair)(domain, type, protocol, files));
  return add_both(*execution, make_pair(), files, (type & SOCK_NONBLOCK) != 0);
}

}  // extern "C"

LOCKSTEP_LINKED(pipes)
