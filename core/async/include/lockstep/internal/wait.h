#pragma once

#include <coroutine>
#include <optional>
#include <stop_token>

#include "lockstep/context.h"
#include "lockstep/error.h"
#include "lockstep/executor.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep::internal {

// The base of every wait of a coroutine in this library: for a call of finish(), or for the end of
// its Context, whichever comes first. Lives in the frame of the waiting coroutine and never moves.
// The coroutine resumes on the executor, through its queue.
class Wait : private Runnable {
 public:
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return done_ && may_wait_for_nothing(); }
  // Whether the result is there.
  [[nodiscard]] bool done() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> coroutine) { start(coroutine, nullptr); }

  // For ok(): like await_suspend, but an error ends the coroutine. If there is no memory for its
  // limits, the coroutine goes on with the exception, and this object must not resume it.
  void start(std::coroutine_handle<> coroutine, EndWithError end_with_error) {
    if (!context_.endless()) observe_limits();
    coroutine_ = coroutine;
    end_with_error_ = end_with_error;
  }

 protected:
  Wait(Executor& executor, Context&& context) : executor_(executor), context_(std::move(context)) {
    executor_.check_is_current();
  }
  ~Wait() override {
    if (coroutine_) forget();
  }

  [[nodiscard]] Executor& executor() const noexcept { return executor_; }
  // Whether the Context can end: cheaper than already_over() when it cannot.
  [[nodiscard]] bool may_be_over() const { return !context_.endless(); }
  // The error of a Context that has already ended, if it has.
  [[nodiscard]] std::optional<Error> already_over() const {
    if (context_.endless()) return std::nullopt;
    return limit_reached();
  }

  // Marks the result as available and wakes a waiting coroutine. Once only.
  void finish() {
    done_ = true;
    if (!coroutine_) return;
    if (limits_) [[unlikely]] {
      forget_limits();
    }
    executor_.post(*this);
  }

  // The Context has ended first: store the error and cancel the wait's registration.
  virtual void give_up(Error error) = 0;
  // The error in the result, if it is one.
  [[nodiscard]] virtual std::optional<Error> failed() const = 0;

 private:
  // Only for contexts that can end, which most waits of a search do not have.
  class Limits;

  void observe_limits();
  void forget_limits() noexcept;
  [[nodiscard]] std::optional<Error> limit_reached() const;
  void run() final;  // Resumes the coroutine.
  void abandon(Error error);
  void forget() noexcept;

  bool done_ = false;  // First, because a Runnable's padding has room for it.
  Executor& executor_;
  Context context_;
  std::coroutine_handle<> coroutine_;  // Null before and after the wait.
  EndWithError end_with_error_ = nullptr;
  Limits* limits_ = nullptr;
};

}  // namespace lockstep::internal
