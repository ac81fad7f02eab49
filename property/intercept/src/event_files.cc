#include <errno.h>
#include <sys/eventfd.h>

#include <cstring>
#include <string_view>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

class EventFile final : public Descriptor {
 public:
  EventFile(std::uint64_t count, bool is_semaphore) : count_(count), is_semaphore_(is_semaphore) {}

  short ready() override {
    return static_cast<short>((count_ > 0 ? POLLIN : 0) | (count_ < kMost ? POLLOUT : 0));
  }
  [[nodiscard]] int read_error(std::size_t size) const override {
    return size < sizeof count_ ? EINVAL : 0;
  }
  ssize_t read(char* into, std::size_t) override {
    if (count_ == 0) return errno = EAGAIN, -1;
    const bool was_full = count_ == kMost;
    const std::uint64_t taken = is_semaphore_ ? 1 : count_;
    count_ -= taken;
    std::memcpy(into, &taken, sizeof taken);
    happens_after(this);
    // A writer may wait for room, or a thread until it may write.
    if (was_full || has_been_full_) Execution::current()->descriptors_changed();
    return sizeof taken;
  }
  ssize_t write(std::string_view bytes) override {
    std::uint64_t more = 0;
    if (bytes.size() < sizeof more) return errno = EINVAL, -1;
    std::memcpy(&more, bytes.data(), sizeof more);
    if (more > kMost) return errno = EINVAL, -1;
    if (!takes(bytes)) {
      has_been_full_ = true;
      return errno = EAGAIN, -1;
    }
    count_ += more;
    happens_before(this);
    return sizeof more;
  }
  // The number may not fit although a smaller one would.
  bool takes(std::string_view bytes) override {
    std::uint64_t more = 0;
    std::memcpy(&more, bytes.data(), sizeof more);
    return more <= kMost - count_;
  }

 private:
  static constexpr std::uint64_t kMost = ~std::uint64_t{0} - 1;
  bool has_been_full_ = false;  // A write did not fit, once.
  std::uint64_t count_;
  bool is_semaphore_;
};

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int eventfd(unsigned count, int flags) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(eventfd)(count, flags));
  constexpr int kFlags = EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC;
  if ((flags & ~kFlags) != 0) return errno = EINVAL, -1;
  auto file = std::make_shared<EventFile>(count, (flags & EFD_SEMAPHORE) != 0);
  file->nonblocking = (flags & EFD_NONBLOCK) != 0;
  return execution->descriptors().add(std::move(file));
}

// glibc's own definitions of the next two make their system calls where nothing can intercept them.
int eventfd_read(int file, eventfd_t* value) {
  return ::read(file, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int eventfd_write(int file, eventfd_t value) {
  return ::write(file, &value, sizeof value) == sizeof value ? 0 : -1;
}

}  // extern "C"

LOCKSTEP_LINKED(event_files)
