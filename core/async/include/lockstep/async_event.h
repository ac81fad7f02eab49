#pragma once

#include <vector>

#include "lockstep/internal/wait.h"
#include "lockstep/result.h"

namespace lockstep {

class AsyncEvent;

// A wait for an AsyncEvent: co_await it. Its result is kTimedOut or kCancelled if the context ended
// first. Resumes on the event's executor.
class [[nodiscard]] EventWait final : public internal::Wait {
 public:
  EventWait(AsyncEvent& event, Context context);
  ~EventWait() override;
  [[nodiscard]] Result<void> await_resume() const { return result_; }
  [[nodiscard]] std::optional<Error> failed() const override;
  [[nodiscard]] Error error() const { return result_.error(); }

 private:
  friend class AsyncEvent;
  void give_up(Error error) override;

  AsyncEvent& event_;
  Result<void> result_;
};

// Something that coroutines wait for, such as "the znode in front has gone": set() lets all of them
// go on, and later ones too, until reset(). (A manual-reset event; the name is cppcoro's.) All
// calls on the executor; blocking code waits by blocking::run(). Outlives its waits.
class AsyncEvent {
 public:
  explicit AsyncEvent(Executor& executor) : executor_(executor) {}
  AsyncEvent(const AsyncEvent&) = delete;
  AsyncEvent& operator=(const AsyncEvent&) = delete;
  ~AsyncEvent() = default;

  [[nodiscard]] bool is_set() const noexcept { return set_; }
  // No effect if it is set.
  void set();
  void reset() noexcept { set_ = false; }
  [[nodiscard]] EventWait wait(Context context = {}) {
    return EventWait(*this, std::move(context));
  }

 private:
  friend class EventWait;

  Executor& executor_;
  std::vector<EventWait*> waits_;  // The longest first.
  bool set_ = false;
};

}  // namespace lockstep
