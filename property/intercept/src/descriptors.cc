#include "descriptors.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace lockstep::intercept {

ssize_t Descriptor::read(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::peek(char*, std::size_t) { return errno = EINVAL, -1; }
ssize_t Descriptor::write(std::string_view) { return errno = EINVAL, -1; }

Descriptors::Table& Descriptors::add_table(std::size_t process) {
  tables_.resize(process + 1);
  return tables_[process];
}

int Descriptors::add_above(int least, std::shared_ptr<Descriptor> descriptor) {
  const Table& table = own();
  auto index = static_cast<std::size_t>(std::max(least - kFirst, 0));
  while (index < table.size() && table[index]) ++index;
  if (index >= kMost) return errno = EMFILE, -1;
  use(index, std::move(descriptor));
  return kFirst + static_cast<int>(index);
}

void Descriptors::put(int number, std::shared_ptr<Descriptor> descriptor) {
  const auto index = static_cast<std::size_t>(number - kFirst);
  const Table& table = own();
  if (index < table.size() && table[index]) close(number);
  use(index, std::move(descriptor));
}

void Descriptors::use(std::size_t index, std::shared_ptr<Descriptor> descriptor) {
  Table& table = own();
  if (index >= table.size()) table.resize(index + 1);
  ++descriptor->numbers;
  table[index] = std::move(descriptor);
}

const std::shared_ptr<Descriptor>& Descriptors::find(int number) {
  static const std::shared_ptr<Descriptor> none;
  const Table& table = own();
  const auto index = static_cast<std::size_t>(number - kFirst);
  if (number >= kFirst && index < table.size() && table[index]) return table[index];
  errno = EBADF;
  return none;
}

int Descriptors::close(int number) {
  if (!find(number)) return -1;
  lost_number(std::exchange(own()[static_cast<std::size_t>(number - kFirst)], nullptr),
              execution_.running()->root());
  execution_.descriptors_changed();
  return 0;
}

void Descriptors::close_range(int first, int last) {
  const auto end = kFirst + static_cast<int>(own().size());
  for (int number = std::max(first, kFirst); number <= last && number < end; ++number) {
    if (own()[static_cast<std::size_t>(number - kFirst)]) close(number);
  }
}

void Descriptors::lost_number(std::shared_ptr<Descriptor> descriptor, const Thread& owner) {
  if (--descriptor->numbers > 0) return;
  if (descriptor->users == 0) return descriptor->close();
  lingering_.push_back({std::move(descriptor), &owner});
}

void Descriptors::close_if_lingering(Descriptor& descriptor) {
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
  const auto end = [&](Descriptor& descriptor) {
    any_peer |= descriptor.has_local_peer();
    descriptor.close();
  };
  if (root.number() < tables_.size()) {
    const Table table = std::exchange(tables_[root.number()], {});
    for (const std::shared_ptr<Descriptor>& descriptor : table) {
      if (descriptor && --descriptor->numbers == 0) end(*descriptor);
    }
  }
  std::erase_if(lingering_, [&](const Lingering& some) {
    if (some.owner != &root) return false;
    end(*some.descriptor);
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
