#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
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

// poll() reports these without being asked, select() does not.
constexpr short kAlways = POLLERR | POLLHUP;

short ready_events(Descriptor& descriptor, short asked) {
  return static_cast<short>(with_both_names(descriptor.ready()) & asked);
}

// `asked` are events for which the call ends.
short ready_events(Execution& execution, int file, short asked) {
  if (file < 0) return 0;
  if (!Descriptors::is_ours(file)) {
    pollfd one{file, asked, 0};
    LOCKSTEP_REAL(poll)(&one, 1, 0);
    return static_cast<short>(one.revents & (asked | POLLNVAL));
  }
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  return descriptor ? ready_events(*descriptor, asked) : short{POLLNVAL};
}

// The execution checks it while another process's variables are in memory, so it has a copy of what
// the caller asks for. As in Linux, the call waits for the descriptors that it has found at first,
// even if another thread closes their numbers; then it answers by number.
class AnyReady final : public Condition {
 public:
  AnyReady(Execution& execution, std::span<const pollfd> files, short always)
      : execution_(execution) {
    asked_.reserve(files.size());
    for (const pollfd& file : files) {
      const auto events = static_cast<short>(file.events | always);
      asked_.push_back({file.fd, events, 0, hold(file.fd)});
    }
  }
  AnyReady(const AnyReady&) = delete;
  AnyReady& operator=(const AnyReady&) = delete;
  ~AnyReady() {
    for (const Asked& asked : asked_) {
      if (asked.held && --asked.held->users == 0)
        execution_.descriptors().is_used_no_more(*asked.held);
    }
  }
  bool holds() override {
    return std::ranges::any_of(asked_, [&](const Asked& asked) {
      if (asked.held) return (asked.held->ready() & with_one_name(asked.events)) != 0;
      // Such a number of ours is not open, and the call has ended.
      return !Descriptors::is_ours(asked.file) &&
             ready_events(execution_, asked.file, asked.events) != 0;
    });
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const {
    std::optional<std::chrono::nanoseconds> first;
    for (const Asked& asked : asked_) {
      if (asked.held) first = earlier(first, asked.held->due(with_one_name(asked.events)));
    }
    return first;
  }
  int look() {
    int count = 0;
    for (Asked& asked : asked_) {
      asked.found = is_first_look_ && asked.held
                        ? ready_events(*asked.held, asked.events)
                        : ready_events(execution_, asked.file, asked.events);
      if (asked.found != 0) ++count;
    }
    is_first_look_ = false;
    return count;
  }
  // Tells the caller what look() has found.
  void answer(std::span<pollfd> files) const {
    for (std::size_t i = 0; i < files.size(); ++i) files[i].revents = asked_[i].found;
  }

 private:
  struct Asked {
    int file;
    short events;
    short found;
    Descriptor* held;  // In use, so that it stays. Null for real files, and for none.
  };

  [[nodiscard]] Descriptor* hold(int file) const {
    if (!Descriptors::is_ours(file)) return nullptr;
    Descriptor* const found = execution_.descriptors().find(file).get();
    if (found) ++found->users;
    return found;
  }

  Execution& execution_;
  std::vector<Asked> asked_;
  bool is_first_look_ = true;  // Nothing has been closed since.
};

int wait(Execution& execution, std::string_view call, std::span<pollfd> files,
         std::optional<std::chrono::nanoseconds> timeout, short always) {
  execution.point(call);
  AnyReady any(execution, files, always);
  std::optional<std::chrono::nanoseconds> until;
  if (timeout) until = execution.host().now() + *timeout;
  for (;;) {
    const int count = any.look();
    const bool is_over = count > 0 || (until && execution.host().now() >= *until);
    if (is_over) return any.answer(files), count;
    execution.wait(call, nullptr, earlier(until, any.due()), &any);
  }
}

// One set of select(), and the events of poll() that it stands for.
struct Selected {
  fd_set* set;
  short events;
};

bool is_open(Execution& execution, int file) {
  if (Descriptors::is_ours(file)) return execution.descriptors().find(file) != nullptr;
  return LOCKSTEP_REAL(fcntl)(file, F_GETFD) >= 0;
}

std::vector<pollfd> asked_for(int count, std::span<const Selected> sets) {
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
  return files;
}

// Like Linux, touches only the words of the set that hold numbers below the count: the caller may
// have allocated no others. Returns how many descriptors are ready.
int answer(const Selected& selected, int count, std::span<const pollfd> files) {
  std::vector<int> ready;
  for (const pollfd& file : files) {
    const bool is_asked = FD_ISSET(file.fd, selected.set);
    if (is_asked && (file.revents & selected.events) != 0) ready.push_back(file.fd);
  }
  const auto words = static_cast<std::size_t>((count + NFDBITS - 1) / NFDBITS);
  std::memset(selected.set, 0, words * sizeof(fd_mask));
  for (const int file : ready) FD_SET(file, selected.set);
  return static_cast<int>(ready.size());
}

// As in Linux, a count beyond the table of descriptors is cut to its size, so that the call neither
// looks at higher numbers nor changes what the sets say of them.
int select_by_poll(Execution& execution, int wanted, std::span<const Selected> sets,
                   std::optional<std::chrono::nanoseconds> timeout) {
  if (wanted < 0) return errno = EINVAL, -1;
  const int count = std::min(wanted, Descriptors::kFirst + Descriptors::kMost);
  std::vector<pollfd> files = asked_for(count, sets);
  if (!std::ranges::all_of(files,
                           [&](const pollfd& file) { return is_open(execution, file.fd); })) {
    return errno = EBADF, -1;
  }
  wait(execution, "select", files, timeout, 0);
  int found = 0;
  for (const Selected& selected : sets) {
    if (selected.set) found += answer(selected, count, files);
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
  return wait(*execution, "poll", {files, count}, timeout, kAlways);
}

int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* signals) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(ppoll)(files, count, time, signals));
  std::optional<std::chrono::nanoseconds> timeout;
  if (time && !is_valid_for_linux(*time)) return errno = EINVAL, -1;
  if (time) timeout = from_timespec(*time);
  return wait(*execution, "ppoll", {files, count}, timeout, kAlways);
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
  // As in Linux's fs/select.c.
  constexpr short kRead = POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR | POLLNVAL;
  constexpr short kWrite = POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR | POLLNVAL;
  const Selected sets[] = {{read, kRead}, {write, kWrite}, {except, POLLPRI}};
  const auto start = execution->host().now();
  const int found = select_by_poll(*execution, count, sets, timeout);
  if (!time) return found;
  const auto left =
      std::max(*timeout - (execution->host().now() - start), std::chrono::nanoseconds(0));
  const timespec shown = to_timespec(left);
  *time = {.tv_sec = shown.tv_sec, .tv_usec = shown.tv_nsec / 1000};
  return found;
}

}  // extern "C"

LOCKSTEP_LINKED(polls)
