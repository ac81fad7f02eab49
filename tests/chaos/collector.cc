#include "chaos/collector.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lockstep::chaos {

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Resource::violated(const Event& event, std::string what) {
  violations_.push_back({"resource", event.lock, std::move(what), event.at});
}

bool Resource::take(const Event& event) {
  const Grant grant(event.process, event.life, event.lock, event.token);
  if (event.kind == Kind::kGranted) granted_[grant] = 0;
  if (event.kind == Kind::kLost) lost_.insert(grant);
  return event.kind == Kind::kWrite && write(event);
}

bool Resource::write(const Event& event) {
  const auto known = granted_.find({event.process, event.life, event.lock, event.token});
  if (known == granted_.end()) violated(event, "a write with a token that was not granted");
  // Another thread may learn of the loss during its write.
  if (known != granted_.end() && lost_.contains(known->first) && ++known->second > 1) {
    violated(event, "a write by a holder that was told of its loss");
  }
  const auto newest = newest_.find(event.lock);
  if (newest != newest_.end()) {
    const Event& last = newest->second;
    if (event.token < last.token) {
      ++refused_;
      return false;
    }
    const bool same = last.process == event.process && last.life == event.life;
    if (event.token == last.token && !same) violated(event, "two contenders share a token");
  }
  newest_[event.lock] = event;
  ++accepted_;
  return true;
}

Collector::Collector()
    : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Collector::~Collector() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof(one)));
  thread_.join();
  for (const Link& link : links_) close(link.descriptor);
  close(wake_);
}

int Collector::connect(int process, int life) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error("no socket pair");
  }
  const std::lock_guard lock(mutex_);
  links_.push_back({ends[0], process, life});
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof(one)));
  return ends[1];
}

void Collector::add(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

bool Collector::wait(const std::function<bool(const std::vector<Event>&)>& done,
                     std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  return more_.wait_until(lock, deadline, [&] { return done(events_); });
}

std::size_t Collector::count() {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

std::vector<Event> Collector::events() {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::vector<Event> Collector::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::vector<Violation> Collector::violations() {
  const std::lock_guard lock(mutex_);
  return violations_;
}

std::pair<std::uint64_t, std::uint64_t> Collector::accepted_and_refused() {
  const std::lock_guard lock(mutex_);
  return {resource_.accepted(), resource_.refused()};
}

void Collector::run() {
  for (;;) {
    std::vector<pollfd> sockets{{wake_, POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      for (const Link& link : links_) sockets.push_back({link.descriptor, POLLIN, 0});
    }
    poll(sockets.data(), sockets.size(), -1);
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    std::uint64_t wakes = 0;
    if (sockets[0].revents != 0) static_cast<void>(!read(wake_, &wakes, sizeof(wakes)));
    for (std::size_t i = 1; i < sockets.size(); ++i) {
      const auto link = std::ranges::find(links_, sockets[i].fd, &Link::descriptor);
      if (sockets[i].revents == 0 || serve(*link)) continue;
      close(link->descriptor);
      links_.erase(link);
    }
  }
}

// Returns false if the contender has gone.
bool Collector::serve(const Link& link) {
  std::array<char, 2048> bytes{};
  const ssize_t size = recv(link.descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size <= 0) return false;
  Event event;
  const std::string line(bytes.data(), static_cast<std::size_t>(size));
  if (!parse(line, event)) {
    violations_.push_back({"link", "", "cannot read: " + line, monotonic_now()});
    return true;
  }
  event.process = link.process;
  event.life = link.life;
  const bool accepted = resource_.take(event);
  if (event.kind == Kind::kWrite) {
    const char answer = accepted ? kAccepted : kRefused;
    static_cast<void>(!send(link.descriptor, &answer, 1, MSG_NOSIGNAL));
    event.detail = accepted ? 1 : 0;
  }
  events_.push_back(std::move(event));
  more_.notify_all();
  return true;
}

}  // namespace lockstep::chaos
