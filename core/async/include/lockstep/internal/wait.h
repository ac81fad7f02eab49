#pragma once

#include <coroutine>
#include <optional>
#include <stop_token>

#include "lockstep/context.h"
#include "lockstep/error.h"
#include "lockstep/executor.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep::internal {

// The one way in which a coroutine of this library waits: for something that calls finish(), or
// for the end of its Context, whichever comes first. Lives in the frame of the coroutine that
// waits and never moves. The coroutine resumes on the executor, through its queue.
class Wait : private Runnable {
 public:
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return done_ && may_wait_for_nothing(); }
  // The result is there.
  [[nodiscard]] bool done() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> coroutine) { start(coroutine, nullptr); }

  // For ok(): like await_suspend, but an error ends the coroutine.
  void start(std::coroutine_handle<> coroutine, EndWithError end_with_error) {
    coroutine_ = coroutine;
    end_with_error_ = end_with_error;
    if (!context_.endless()) observe_limits();
  }

 protected:
  Wait(Executor& executor, Context&& context) : executor_(executor), context_(std::move(context)) {
    executor_.check_is_current();
  }
  ~Wait() override {
    if (coroutine_) forget();
  }

  [[nodiscard]] Executor& executor() const noexcept { return executor_; }
  // Whether the Context can end. (Whoever asks first is spared an empty optional.)
  [[nodiscard]] bool may_be_over() const { return !context_.endless(); }
  // The error of a Context that has already ended, if it has.
  [[nodiscard]] std::optional<Error> already_over() const {
    if (context_.endless()) return std::nullopt;
    return limit_reached();
  }

  // The result is there: wakes the coroutine if it waits. Once only.
  void finish() {
    done_ = true;
    if (!coroutine_) return;
    if (limits_) [[unlikely]] {
      forget_limits();
    }
    executor_.post(*this);
  }

  // The Context has ended first: store the error and let go of what was waited for.
  virtual void give_up(Error error) = 0;
  // The error that was waited for, if the result is one.
  [[nodiscard]] virtual std::optional<Error> failed() const = 0;

 private:
  // Only for contexts that can end; most waits of a search never need it.
  class Limits;

  void observe_limits();
  void forget_limits() noexcept;
  [[nodiscard]] std::optional<Error> limit_reached() const;
  void run() final;  // Resumes the coroutine.
  void abandon(Error error);
  void forget() noexcept;

  bool done_ = false;  // First: there is room for it behind what a Runnable has.
  Executor& executor_;
  Context context_;
  std::coroutine_handle<> coroutine_;  // Null: it does not wait yet, or not any more.
  EndWithError end_with_error_ = nullptr;
  Limits* limits_ = nullptr;
};

}  // namespace lockstep::internal
