#include <errno.h>
#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <span>
#include <vector>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

// poll() and select(). They wait only for descriptors of the execution; a change of a real
// descriptor among them wakes no thread.

namespace lockstep::intercept {

namespace {

constexpr short kAlways = POLLERR | POLLHUP;

short ready_events(Execution& execution, const pollfd& asked) {
  if (asked.fd < 0) return 0;
  if (!Descriptors::is_ours(asked.fd)) {
    pollfd file = asked;
    LOCKSTEP_REAL(poll)(&file, 1, 0);
    return file.revents;
  }
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(asked.fd);
  if (!descriptor) return POLLNVAL;
  return static_cast<short>(descriptor->ready() & (asked.events | kAlways));
}

// The execution checks it while another process's variables are in memory, so it has a copy of what
// the caller asks for.
class AnyReady final : public Condition {
 public:
  AnyReady(Execution& execution, std::span<const pollfd> files)
      : execution_(execution), files_(files.begin(), files.end()) {}
  bool holds() override { return look() > 0; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const {
    std::optional<std::chrono::nanoseconds> first;
    for (const pollfd& file : files_) {
      if (file.fd < 0 || !Descriptors::is_ours(file.fd)) continue;
      const auto& descriptor = execution_.descriptors().find(file.fd);
      if (descriptor) first = earlier(first, descriptor->due(file.events));
    }
    return first;
  }
  int look() {
    int count = 0;
    for (pollfd& file : files_) {
      file.revents = ready_events(execution_, file);
      if (file.revents != 0) ++count;
    }
    return count;
  }
  // Tells the caller what look() has found.
  void answer(std::span<pollfd> files) const {
    for (std::size_t i = 0; i < files.size(); ++i) files[i].revents = files_[i].revents;
  }

 private:
  Execution& execution_;
  std::vector<pollfd> files_;
};

int wait(Execution& execution, std::string_view call, std::span<pollfd> files,
         std::optional<std::chrono::nanoseconds> timeout) {
  execution.point(call);
  AnyReady any(execution, files);
  std::optional<std::chrono::nanoseconds> until;
  if (timeout) until = execution.host().now() + *timeout;
  for (;;) {
    const int count = any.look();
    const bool is_over = count > 0 || (until && execution.host().now() >= *until);
    if (is_over) return any.answer(files), count;
    execution.wait(call, nullptr, earlier(until, any.due()), &any);
  }
}

// One set of select(), and the event of poll() that it stands for.
struct Selected {
  fd_set* set;
  short events;
};

int select_by_poll(Execution& execution, int count, std::span<const Selected> sets,
                   std::optional<std::chrono::nanoseconds> timeout) {
  std::vector<pollfd> files;
  for (int file = 0; file < count; ++file) {
    short events = 0;
    for (const Selected& selected : sets) {
      if (selected.set && FD_ISSET(file, selected.set)) {
        events = static_cast<short>(events | selected.events);
      }
    }
    if (events != 0) files.push_back({file, events, 0});
  }
  wait(execution, "select", files, timeout);
  int found = 0;
  for (const Selected& selected : sets) {
    if (!selected.set) continue;
    FD_ZERO(selected.set);
    for (const pollfd& file : files) {
      if ((file.events & selected.events) == 0) continue;
      if ((file.revents & (selected.events | kAlways)) == 0) continue;
      FD_SET(file.fd, selected.set);
      ++found;
    }
  }
  return found;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int poll(pollfd* files, nfds_t count, int timeout_ms) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(poll)(files, count, timeout_ms));
  std::optional<std::chrono::nanoseconds> timeout;
  if (timeout_ms >= 0) timeout = std::chrono::milliseconds(timeout_ms);
  return wait(*execution, "poll", {files, count}, timeout);
}

int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* signals) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(ppoll)(files, count, time, signals));
  std::optional<std::chrono::nanoseconds> timeout;
  if (time && !is_valid_for_linux(*time)) return errno = EINVAL, -1;
  if (time) timeout = from_timespec(*time);
  return wait(*execution, "ppoll", {files, count}, timeout);
}

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* time) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(select)(count, read, write, except, time));
  std::optional<std::chrono::nanoseconds> timeout;
  if (time && (time->tv_sec < 0 || time->tv_usec < 0)) return errno = EINVAL, -1;
  // More than a million microseconds are permitted.
  constexpr suseconds_t kSecond = 1'000'000;
  if (time) {
    timeout = from_timespec({time->tv_sec, 0}) + std::chrono::seconds(time->tv_usec / kSecond) +
              std::chrono::microseconds(time->tv_usec % kSecond);
  }
  const Selected sets[] = {{read, POLLIN}, {write, POLLOUT}, {except, POLLPRI}};
  return select_by_poll(*execution, count, sets, timeout);
}

}  // extern "C"

LOCKSTEP_LINKED(polls)
