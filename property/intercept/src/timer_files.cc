#include <errno.h>
#include <fcntl.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

// timerfd: a descriptor from which a reader gets the number of expirations of its timer.

namespace lockstep::intercept {

namespace {

using std::chrono::nanoseconds;

class TimerFile final : public Descriptor {
 public:
  TimerFile(Execution& execution, clockid_t clock) : execution_(execution), clock_(clock) {}

  short ready() override { return expirations() > 0 ? POLLIN : 0; }
  std::optional<nanoseconds> due(short events) override {
    return (events & POLLIN) != 0 ? due_ : std::nullopt;
  }
  [[nodiscard]] bool has(int access) const override { return access == O_RDONLY; }
  [[nodiscard]] int read_error(std::size_t size) const override {
    return size < sizeof(std::uint64_t) ? EINVAL : 0;
  }
  ssize_t read(char* into, std::size_t) override {
    const std::uint64_t count = expirations();
    if (count == 0) return errno = EAGAIN, -1;
    std::memcpy(into, &count, sizeof count);
    if (interval_ > nanoseconds::zero()) {
      *due_ += interval_ * count;
    } else {
      due_.reset();
    }
    return sizeof count;
  }

  void set(int flags, const itimerspec& time) {
    const nanoseconds first = from_timespec(time.it_value);
    interval_ = from_timespec(time.it_interval);
    due_.reset();
    if (first == nanoseconds::zero()) return;
    const bool is_absolute = (flags & TFD_TIMER_ABSTIME) != 0;
    due_ = is_absolute ? intercept::due(clock_, time.it_value) : execution_.host().now() + first;
  }
  [[nodiscard]] itimerspec left() const {
    itimerspec time{to_timespec(interval_), {}};
    if (!due_) return time;
    // A timer that has expired, and does so once, looks disarmed.
    const nanoseconds now = execution_.host().now();
    const nanoseconds next = *due_ + interval_ * expirations();
    if (next > now) time.it_value = to_timespec(next - now);
    return time;
  }

 private:
  [[nodiscard]] std::uint64_t expirations() const {
    const nanoseconds now = execution_.host().now();
    if (!due_ || now < *due_) return 0;
    if (interval_ == nanoseconds::zero()) return 1;
    return 1 + static_cast<std::uint64_t>((now - *due_) / interval_);
  }

  Execution& execution_;
  clockid_t clock_;
  std::optional<nanoseconds> due_;  // The next expiration; none if the timer is disarmed.
  nanoseconds interval_{0};
};

std::shared_ptr<TimerFile> timer_of(Execution& execution, int file) {
  const std::shared_ptr<Descriptor> descriptor = execution.descriptors().find(file);
  if (!descriptor) return nullptr;
  auto timer = std::dynamic_pointer_cast<TimerFile>(descriptor);
  if (!timer) errno = EINVAL;
  return timer;
}

bool has_timers(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_BOOTTIME:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_BOOTTIME_ALARM: return true;
    default: return false;
  }
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int timerfd_create(clockid_t clock, int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(timerfd_create)(clock, flags));
  const bool are_known = (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) == 0;
  if (!are_known || !has_timers(clock)) return errno = EINVAL, -1;
  auto timer = std::make_shared<TimerFile>(*execution, clock);
  timer->nonblocking = (flags & TFD_NONBLOCK) != 0;
  return execution->descriptors().add(std::move(timer));
}

int timerfd_settime(int file, int flags, const itimerspec* time, itimerspec* before) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(timerfd_settime)(file, flags, time, before));
  execution->point("timerfd_settime");
  const std::shared_ptr<TimerFile> timer = timer_of(*execution, file);
  if (!timer) return -1;
  constexpr int kFlags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
  if ((flags & ~kFlags) != 0) return errno = EINVAL, -1;
  if (!is_valid_for_linux(time->it_value) || !is_valid_for_linux(time->it_interval)) {
    return errno = EINVAL, -1;
  }
  if (before) *before = timer->left();
  timer->set(flags, *time);
  execution->deadlines_changed();
  return 0;
}

int timerfd_gettime(int file, itimerspec* time) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(timerfd_gettime)(file, time));
  const std::shared_ptr<TimerFile> timer = timer_of(*execution, file);
  if (!timer) return -1;
  *time = timer->left();
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(timer_files)
