#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/request.h"

namespace lockstep::internal {
class Completion;
}

namespace lockstep::fake {

// A request without a reply yet.
struct PendingRequest {
  internal::Completion* completion = nullptr;  // Null once its waiter has gone.
  internal::Ref<internal::WatchState> watch;   // May be null.
  fakezk::PathId path = fakezk::PathTable::kRoot;
  OpCode op = OpCode::kSync;
  WatchType watch_type = WatchType::kAny;
  TimePoint sent{};
};

// The pending requests of one session, oldest first. There is mostly one or none: the oldest has
// room of its own, and only the later ones need the queue.
class PendingRequests {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void add(PendingRequest request) {
    if (size_++ == 0) {
      oldest_ = std::move(request);
    } else {
      later_.emplace(std::move(request));
    }
  }
  [[nodiscard]] PendingRequest take() {
    PendingRequest taken = std::move(oldest_);
    if (--size_ > 0) oldest_ = std::move(later_.take()->request);
    return taken;
  }
  // Removes the oldest request that satisfies `predicate`, out of turn; there must be one.
  template <class Predicate>
  [[nodiscard]] PendingRequest take_first(Predicate predicate) {
    if (predicate(oldest_)) return take();
    std::unique_ptr<Later> found;
    fakezk::Mailbox<Later> others;
    while (!later_.empty()) {
      std::unique_ptr<Later> next = later_.take();
      if (!found && predicate(next->request)) {
        found = std::move(next);
      } else {
        others.put(std::move(next));
      }
    }
    later_ = std::move(others);
    --size_;
    return std::move(found->request);
  }
  // Calls act(request) for each, the oldest first.
  template <class Act>
  void each(Act act) {
    if (empty()) return;
    act(oldest_);
    later_.each([&act](Later& later) { act(later.request); });
  }
  template <class Act>
  void each(Act act) const {
    if (empty()) return;
    act(oldest_);
    later_.each([&act](const Later& later) { act(later.request); });
  }

 private:
  struct Later final : internal::Pooled, fakezk::Mail<Later> {
    explicit Later(PendingRequest of) : request(std::move(of)) {}
    PendingRequest request;
  };

  std::size_t size_ = 0;
  PendingRequest oldest_;
  fakezk::Mailbox<Later> later_;
};

}  // namespace lockstep::fake
