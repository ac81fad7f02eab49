#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "lockstep/internal/check.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/trampoline.h"
#include "lockstep/result.h"

namespace lockstep {

template <class T>
class Task;

namespace internal {

template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<Result<T>> : std::true_type {};

template <class T>
class TaskPromise;

// Where a task leaves what it has come to: with whoever awaits it, so that its own frame can go at
// its end and need not be visited once more.
template <class T>
class TaskOutcome {
 public:
  explicit TaskOutcome(std::coroutine_handle<TaskPromise<T>>& task) noexcept : task_(task) {}
  TaskOutcome(const TaskOutcome&) = delete;
  TaskOutcome& operator=(const TaskOutcome&) = delete;
  ~TaskOutcome() = default;

  template <class U>
  void set(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  void set_exception(std::exception_ptr exception) noexcept { exception_ = std::move(exception); }
  // The error that it is, if it is one.
  [[nodiscard]] std::optional<int> error() const noexcept {
    if constexpr (IsResult<T>::value) {
      if (value_ && !value_->has_value()) return static_cast<int>(value_->error());
    }
    return std::nullopt;
  }
  void frame_goes() noexcept { task_ = nullptr; }
  [[nodiscard]] T take() {
    if (exception_) [[unlikely]] {
      std::rethrow_exception(std::exchange(exception_, nullptr));
    }
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  struct Nothing {};

  std::coroutine_handle<TaskPromise<T>>& task_;
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value_;
  std::exception_ptr exception_;
};

// Who waits for a task, and how that one ends if it said `ok(...)`.
template <class T>
class TaskPromiseBase : public Pooled {
 public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  // The end: the frame goes at once.
  [[nodiscard]] std::suspend_never final_suspend() noexcept {
    outcome_->frame_goes();
    leave();
    return {};
  }
  void unhandled_exception() noexcept { outcome_->set_exception(std::current_exception()); }

  void start(TaskOutcome<T>& outcome, std::coroutine_handle<> continuation,
             EndWithError end_with_error) {
    check(outcome_ == nullptr, "a task is awaited once, and somebody awaits this one already");
    outcome_ = &outcome;
    continuation_ = continuation;
    end_continuation_ = end_with_error;
  }

  // Hands over to whoever waits: resumed with the result, or ended with its error.
  void leave() noexcept {
    if (end_continuation_) {
      if (const std::optional<int> error = outcome_->error()) {
        return end_continuation_(continuation_.address(), *error);
      }
    }
    next_coroutine = continuation_;
  }

 protected:
  TaskOutcome<T>* outcome_ = nullptr;

 private:
  std::coroutine_handle<> continuation_;
  EndWithError end_continuation_ = nullptr;
};

template <class T>
class TaskPromise : public TaskPromiseBase<T> {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    this->outcome_->set(std::forward<U>(value));
  }
};

template <>
class TaskPromise<void> : public TaskPromiseBase<void> {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
};

// Ends a coroutine that waits in `co_await ok(...)`.
template <class Promise>
void end_coroutine(void* address, int error) {
  auto& promise = std::coroutine_handle<Promise>::from_address(address).promise();
  promise.return_value(failure(static_cast<Error>(error)));
  promise.leave();
}

}  // namespace internal

// A coroutine that produces a T. Lazy (it starts when awaited), move-only, awaited once: a second
// time, or of a task that was moved from, is misuse. It
// resumes whoever awaits it on the executor on which its own last wait ended. Destroying a task
// destroys its frame, and with it every wait inside: what was already sent stays sent.
// Parameters of task coroutines are taken by value; a reference only to something that outlives
// the task.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      coroutine_ = std::exchange(other.coroutine_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { destroy(); }

  // True once the task has been moved from or its result has been taken.
  [[nodiscard]] bool empty() const noexcept { return !coroutine_; }

  class Awaiter {
   public:
    explicit Awaiter(Task& task) noexcept : task_(task), outcome_(task.coroutine_) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> parent) noexcept { start(parent, nullptr); }
    T await_resume() {
      task_.destroy();  // It is still there if an error has ended it in its middle.
      return outcome_.take();
    }

    // For ok(): like await_suspend, but an error ends the parent.
    void start(std::coroutine_handle<> parent, internal::EndWithError end_parent) noexcept {
      internal::check(task_.coroutine_.address() != nullptr,
                      "a task is awaited once, and not after it was moved from");
      task_.coroutine_.promise().start(outcome_, parent, end_parent);
      internal::next_coroutine = task_.coroutine_;
    }

   private:
    Task& task_;
    internal::TaskOutcome<T> outcome_;
  };
  [[nodiscard]] Awaiter operator co_await() && noexcept { return Awaiter(*this); }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  void destroy() noexcept {
    if (coroutine_) std::exchange(coroutine_, nullptr).destroy();
  }

  std::coroutine_handle<promise_type> coroutine_;
};

template <class T>
Task<T> internal::TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> internal::TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace lockstep
