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
  internal::WatchState* watch = nullptr;
  fakezk::PathId path = fakezk::PathTable::kRoot;
  OpCode op = OpCode::kSync;
  WatchType watch_type = WatchType::kAny;
  TimePoint sent{};
};

// The pending requests of one session, oldest first. There is mostly one or none: the first has
// room of its own, and only the others need the queue.
class PendingRequests {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void add(const PendingRequest& request) {
    if (size_++ == 0) {
      oldest_ = request;
    } else {
      behind_.emplace(request);
    }
  }
  [[nodiscard]] PendingRequest take() {
    const PendingRequest taken = oldest_;
    if (--size_ > 0) oldest_ = behind_.take()->request;
    return taken;
  }
  // Removes the oldest request that satisfies `predicate`, out of turn; there must be one.
  template <class Predicate>
  [[nodiscard]] PendingRequest take_first(Predicate predicate) {
    if (predicate(oldest_)) return take();
    std::unique_ptr<Behind> found;
    fakezk::Mailbox<Behind> others;
    while (!behind_.empty()) {
      std::unique_ptr<Behind> next = behind_.take();
      if (!found && predicate(next->request)) {
        found = std::move(next);
      } else {
        others.put(std::move(next));
      }
    }
    behind_ = std::move(others);
    --size_;
    return found->request;
  }
  // Calls act(request) for each, the oldest first.
  template <class Act>
  void each(Act act) {
    if (empty()) return;
    act(oldest_);
    behind_.each([&act](Behind& behind) { act(behind.request); });
  }
  template <class Act>
  void each(Act act) const {
    if (empty()) return;
    act(oldest_);
    behind_.each([&act](const Behind& behind) { act(behind.request); });
  }

 private:
  struct Behind final : internal::Pooled, fakezk::Mail<Behind> {
    explicit Behind(const PendingRequest& of) : request(of) {}
    PendingRequest request;
  };

  std::size_t size_ = 0;
  PendingRequest oldest_;
  fakezk::Mailbox<Behind> behind_;
};

}  // namespace lockstep::fake
