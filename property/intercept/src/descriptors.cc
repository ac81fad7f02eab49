#include "descriptors.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace lockstep::intercept {

ssize_t Descriptor::read(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::peek(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::write(std::string_view) { return errno = EINVAL, -1; }

int Descriptors::add_above(int least, std::shared_ptr<Descriptor> descriptor) {
  auto index = static_cast<std::size_t>(std::max(least - kFirst, 0));
  while (index < table_.size() && table_[index]) ++index;
  if (index >= kMost) return errno = EMFILE, -1;
  use(index, std::move(descriptor));
  return kFirst + static_cast<int>(index);
}

void Descriptors::put(int number, std::shared_ptr<Descriptor> descriptor) {
  const auto index = static_cast<std::size_t>(number - kFirst);
  if (index < table_.size() && table_[index]) close(number);
  use(index, std::move(descriptor));
}

void Descriptors::use(std::size_t index, std::shared_ptr<Descriptor> descriptor) {
  if (index >= table_.size()) {
    table_.resize(index + 1);
    owners_.resize(index + 1);
  }
  table_[index] = std::move(descriptor);
  owners_[index] = &execution_.running()->root();
}

const std::shared_ptr<Descriptor>& Descriptors::find(int number) const {
  static const std::shared_ptr<Descriptor> none;
  const auto index = static_cast<std::size_t>(number - kFirst);
  if (number >= kFirst && index < table_.size() && table_[index]) return table_[index];
  errno = EBADF;
  return none;
}

int Descriptors::close(int number) {
  if (!find(number)) return -1;
  const auto index = static_cast<std::size_t>(number - kFirst);
  const Thread* const owner = owners_[index];
  std::shared_ptr<Descriptor> descriptor = forget(index);
  if (descriptor && descriptor->users > 0) {
    lingering_.push_back({std::move(descriptor), owner});
  } else if (descriptor) {
    descriptor->close();
  }
  execution_.descriptors_changed();
  return 0;
}

std::shared_ptr<Descriptor> Descriptors::forget(std::size_t index) {
  std::shared_ptr<Descriptor> descriptor = std::exchange(table_[index], nullptr);
  owners_[index] = nullptr;
  return std::ranges::find(table_, descriptor) == table_.end() ? descriptor : nullptr;
}

void Descriptors::is_used_no_more(Descriptor& descriptor) {
  if (lingering_.empty()) return;
  const int error = errno;  // The call's.
  const auto found = std::ranges::find_if(
      lingering_, [&](const Lingering& some) { return some.descriptor.get() == &descriptor; });
  if (found == lingering_.end()) return;
  const std::shared_ptr<Descriptor> last = std::move(found->descriptor);
  lingering_.erase(found);
  last->close();
  execution_.descriptors_changed();
  errno = error;
}

// The calls of its threads are over, although nothing unwinds their stacks.
void Descriptors::close_all_of(const Thread& root) {
  bool any_peer = false;
  for (std::size_t index = 0; index < table_.size(); ++index) {
    if (!table_[index] || owners_[index] != &root) continue;
    any_peer |= table_[index]->has_local_peer();
    if (const std::shared_ptr<Descriptor> descriptor = forget(index)) descriptor->close();
  }
  std::erase_if(lingering_, [&](const Lingering& some) {
    if (some.owner != &root) return false;
    any_peer |= some.descriptor->has_local_peer();
    some.descriptor->close();
    return true;
  });
  if (any_peer) execution_.descriptors_changed();
}

namespace {

class IsReady final : public Condition {
 public:
  IsReady(Descriptor& descriptor, short events) : descriptor_(descriptor), events_(events) {}
  bool holds() override { return (descriptor_.ready() & events_) != 0; }

 private:
  Descriptor& descriptor_;
  short events_;
};

}  // namespace

std::optional<std::chrono::nanoseconds> time_to_give_up(Execution& execution,
                                                        const Descriptor& descriptor,
                                                        short events) {
  const std::optional<std::chrono::nanoseconds> timeout = descriptor.timeout(events);
  return timeout ? std::optional(execution.host().now() + *timeout) : std::nullopt;
}

void wait_until_ready(Execution& execution, std::string_view call, Descriptor& descriptor,
                      short events, std::optional<std::chrono::nanoseconds> until) {
  if (descriptor.nonblocking) return;
  IsReady ready(descriptor, static_cast<short>(events | POLLHUP | POLLERR));
  while (!ready.holds()) {
    if (until && execution.host().now() >= *until) return;
    execution.wait(call, nullptr, earlier(until, descriptor.due(events)), &ready);
  }
}

}  // namespace lockstep::intercept
