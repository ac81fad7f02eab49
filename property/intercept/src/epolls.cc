#include <errno.h>
#include <sys/epoll.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

// Level-triggered epoll, for descriptors of the execution.

namespace lockstep::intercept {

namespace {

using std::chrono::nanoseconds;

constexpr char kEdge[] = "edge-triggered and exclusive events cannot be intercepted yet";
constexpr char kReal[] = "only sockets, pipes, eventfds and timerfds of hunted code can be polled";

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP);
constexpr unsigned kAlways = EPOLLERR | EPOLLHUP;

class EpollFile final : public Descriptor {
 public:
  explicit EpollFile(Execution& execution) : execution_(execution) {}

  short ready() override {
    drop_closed();
    const bool any = std::ranges::any_of(
        interests_, [](const Interest& interest) { return ready_events(interest) != 0; });
    return any ? POLLIN : 0;
  }
  std::optional<nanoseconds> due(short) override {
    drop_closed();
    std::optional<nanoseconds> first;
    for (const Interest& interest : interests_) {
      if (!interest.is_enabled) continue;
      const auto events = static_cast<short>(interest.event.events & 0xffffU);
      first = earlier(first, interest.descriptor->due(with_one_name(events)));
    }
    return first;
  }

  [[nodiscard]] int read_error(std::size_t) const override { return EINVAL; }
  [[nodiscard]] bool has(int) const override { return false; }

  // Whether that one is among the descriptors of this one, or of those below it.
  [[nodiscard]] bool reaches(const EpollFile& other) const {
    return std::ranges::any_of(interests_, [&](const Interest& interest) {
      const auto* const below = dynamic_cast<const EpollFile*>(interest.descriptor.get());
      return below && (below == &other || below->reaches(other));
    });
  }
  // Returns 0 or the error (errno).
  int control(int operation, int file, const epoll_event* event) {
    const std::shared_ptr<Descriptor> descriptor = execution_.descriptors().find(file);
    if (!descriptor) return EBADF;
    if (descriptor.get() == this) return EINVAL;
    drop_closed();
    const auto* const added = dynamic_cast<const EpollFile*>(descriptor.get());
    if (operation == EPOLL_CTL_ADD && added && added->reaches(*this)) return ELOOP;
    // Another descriptor of this number is no longer open under it (dup).
    const auto known = std::ranges::find_if(interests_, [&](const Interest& interest) {
      return interest.file == file && interest.descriptor == descriptor;
    });
    const bool is_known = known != interests_.end();
    switch (operation) {
      case EPOLL_CTL_ADD:
        if (is_known) return EEXIST;
        interests_.push_back({file, descriptor, *event, true});
        return 0;
      case EPOLL_CTL_MOD:
        if (!is_known) return ENOENT;
        known->event = *event;
        known->is_enabled = true;
        return 0;
      case EPOLL_CTL_DEL:
        if (!is_known) return ENOENT;
        interests_.erase(known);
        return 0;
      default: return EINVAL;
    }
  }

  // Reports ready descriptors. Those that it reports come last the next time, as in Linux, so that
  // none starves if there are more than `events` can hold.
  int take(std::span<epoll_event> events) {
    drop_closed();
    std::vector<Interest> reported;
    std::size_t count = 0;
    for (auto next = interests_.begin(); next != interests_.end() && count < events.size();) {
      const unsigned found = ready_events(*next);
      if (found == 0) {
        ++next;
        continue;
      }
      events[count++] = {found, next->event.data};
      if ((next->event.events & EPOLLONESHOT) != 0) next->is_enabled = false;
      reported.push_back(std::move(*next));
      next = interests_.erase(next);
    }
    std::ranges::move(reported, std::back_inserter(interests_));
    return static_cast<int>(count);
  }

 private:
  struct Interest {
    int file;
    std::shared_ptr<Descriptor> descriptor;
    epoll_event event;
    bool is_enabled;  // EPOLLONESHOT disables it after one report.
  };

  [[nodiscard]] static unsigned ready_events(const Interest& interest) {
    if (!interest.is_enabled) return 0;
    const auto ready = static_cast<unsigned>(with_both_names(interest.descriptor->ready()));
    return ready & (interest.event.events | kAlways);
  }
  void drop_closed() {
    std::erase_if(interests_,
                  [](const Interest& interest) { return interest.descriptor->numbers == 0; });
  }

  Execution& execution_;
  std::vector<Interest> interests_;
};

std::shared_ptr<EpollFile> epoll_of(Execution& execution, int file) {
  const std::shared_ptr<Descriptor> descriptor = execution.descriptors().find(file);
  if (!descriptor) return nullptr;
  auto epoll = std::dynamic_pointer_cast<EpollFile>(descriptor);
  if (!epoll) errno = EINVAL;
  return epoll;
}

int make(Execution& execution) {
  return execution.descriptors().add(std::make_shared<EpollFile>(execution));
}

class IsReady final : public Condition {
 public:
  explicit IsReady(EpollFile& epoll) : epoll_(epoll) {}
  bool holds() override { return epoll_.ready() != 0; }

 private:
  EpollFile& epoll_;
};

int wait(Execution& execution, std::string_view call, int file, std::span<epoll_event> events,
         int timeout_ms) {
  execution.point(call);
  const std::shared_ptr<EpollFile> epoll = epoll_of(execution, file);
  if (!epoll) return -1;
  if (events.empty()) return errno = EINVAL, -1;
  IsReady ready(*epoll);
  std::optional<nanoseconds> until;
  if (timeout_ms >= 0) until = execution.host().now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    const int count = epoll->take(events);
    if (count > 0) return count;
    if (until && execution.host().now() >= *until) return 0;
    execution.wait(call, nullptr, earlier(until, epoll->due(POLLIN)), &ready);
  }
}

std::span<epoll_event> room(epoll_event* events, int most) {
  return {events, most > 0 ? static_cast<std::size_t>(most) : 0};
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int epoll_create(int size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(epoll_create)(size));
  if (size <= 0) return errno = EINVAL, -1;
  return make(*execution);
}

int epoll_create1(int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(epoll_create1)(flags));
  if ((flags & ~EPOLL_CLOEXEC) != 0) return errno = EINVAL, -1;
  return make(*execution);
}

int epoll_ctl(int file, int operation, int other, epoll_event* event) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(epoll_ctl)(file, operation, other, event));
  execution->point("epoll_ctl");
  const std::shared_ptr<EpollFile> epoll = epoll_of(*execution, file);
  if (!epoll) return -1;
  if (!Descriptors::is_ours(other)) execution->refuse("epoll_ctl", kReal);
  const bool changes = operation == EPOLL_CTL_ADD || operation == EPOLL_CTL_MOD;
  if (changes && (event->events & (EPOLLET | EPOLLEXCLUSIVE)) != 0) {
    execution->refuse("epoll_ctl", kEdge);
  }
  const int error = epoll->control(operation, other, event);
  if (error != 0) return errno = error, -1;
  execution->deadlines_changed();
  return 0;
}

int epoll_wait(int file, epoll_event* events, int most, int timeout_ms) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(epoll_wait)(file, events, most, timeout_ms));
  return wait(*execution, "epoll_wait", file, room(events, most), timeout_ms);
}

int epoll_pwait(int file, epoll_event* events, int most, int timeout_ms, const sigset_t* signals) {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(epoll_pwait)(file, events, most, timeout_ms, signals));
  return wait(*execution, "epoll_pwait", file, room(events, most), timeout_ms);
}

}  // extern "C"

LOCKSTEP_LINKED(epolls)
