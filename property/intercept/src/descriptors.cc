#include "descriptors.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace lockstep::intercept {

ssize_t Descriptor::read(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::peek(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::write(std::string_view) { return errno = EINVAL, -1; }

int Descriptors::add(std::shared_ptr<Descriptor> descriptor) {
  const auto free = std::ranges::find(table_, nullptr);
  const auto index = static_cast<int>(free - table_.begin());
  if (index >= kMost) return errno = EMFILE, -1;
  if (free == table_.end()) {
    table_.push_back(std::move(descriptor));
  } else {
    *free = std::move(descriptor);
  }
  return kFirst + index;
}

const std::shared_ptr<Descriptor>& Descriptors::find(int number) const {
  static const std::shared_ptr<Descriptor> none;
  const auto index = static_cast<std::size_t>(number - kFirst);
  if (number >= kFirst && index < table_.size() && table_[index]) return table_[index];
  errno = EBADF;
  return none;
}

int Descriptors::close(int number) {
  const std::shared_ptr<Descriptor> descriptor = find(number);
  if (!descriptor) return -1;
  table_[static_cast<std::size_t>(number - kFirst)] = nullptr;
  if (std::ranges::find(table_, descriptor) == table_.end()) descriptor->close();
  execution_.descriptors_changed();
  return 0;
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

void wait_until_ready(Execution& execution, std::string_view call, Descriptor& descriptor,
                      short events) {
  if (descriptor.nonblocking) return;
  IsReady ready(descriptor, static_cast<short>(events | POLLHUP | POLLERR));
  while (!ready.holds()) execution.wait(call, nullptr, descriptor.due(events), &ready);
}

}  // namespace lockstep::intercept
