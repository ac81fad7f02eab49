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
class TaskPromiseBase;
template <class T>
class TaskPromise;

template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<Result<T>> : std::true_type {};

// Who awaits a task, and the place where the task leaves what it has come to. So its frame goes
// when it ends, and need not be resumed once more for that. Never moved.
template <class T>
class TaskAwaiter {
 public:
  explicit TaskAwaiter(Task<T>& task) noexcept : task_(task) {}
  TaskAwaiter(const TaskAwaiter&) = delete;
  TaskAwaiter& operator=(const TaskAwaiter&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { start(waiting, nullptr); }
  T await_resume() {
    task_.destroy();  // It is still there if an error has ended it in its middle.
    if (exception_) [[unlikely]] {
      rethrow();
    }
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

  // For ok(): like await_suspend, but an error ends whoever waits.
  void start(std::coroutine_handle<> waiting, EndWithError end_with_error) noexcept {
    check(task_.coroutine_.address() != nullptr,
          "a task is awaited once, and not after it was moved from");
    task_.coroutine_.promise().set_awaiter(*this);
    waiting_ = waiting;
    end_with_error_ = end_with_error;
    next_coroutine = task_.coroutine_;
  }

 protected:
  using Ended = void (*)(TaskAwaiter& self) noexcept;
  // For whoever is no coroutine: `ended` is called, once, when the task has ended. (A virtual
  // function would make every use of this class a check of the undefined behaviour sanitizer.)
  TaskAwaiter(Task<T>& task, Ended ended) noexcept : task_(task), ended_(ended) {}
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return exception_; }

 private:
  friend class TaskPromiseBase<T>;
  friend class TaskPromise<T>;
  struct Nothing {};

  // The result is there: whoever waits is resumed, or ended with its error.
  void hand_over() noexcept {
    if constexpr (IsResult<T>::value) {
      if (end_with_error_ && value_ && !value_->has_value()) {
        return end_with_error_(waiting_.address(), static_cast<int>(value_->error()));
      }
    }
    if (ended_) return ended_(*this);
    next_coroutine = waiting_;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void rethrow() {
    std::rethrow_exception(std::exchange(exception_, nullptr));
  }

  Task<T>& task_;
  Ended ended_ = nullptr;
  std::coroutine_handle<> waiting_;
  EndWithError end_with_error_ = nullptr;
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value_;
  std::exception_ptr exception_;
};

// What every task's promise has: who awaits it.
template <class T>
class TaskPromiseBase : public Pooled {
 public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  // The frame goes at once: whoever waits is resumed by the trampoline, later.
  [[nodiscard]] std::suspend_never final_suspend() noexcept {
    awaiter_->task_.coroutine_ = nullptr;
    leave();
    return {};
  }
  void unhandled_exception() noexcept { awaiter_->exception_ = std::current_exception(); }

  void set_awaiter(TaskAwaiter<T>& awaiter) {
    check(!awaiter_, "a task is awaited once, and somebody awaits this one already");
    awaiter_ = &awaiter;
  }
  void leave() noexcept { awaiter_->hand_over(); }

 protected:
  TaskAwaiter<T>* awaiter_ = nullptr;
};

template <class T>
class TaskPromise : public TaskPromiseBase<T> {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    this->awaiter_->value_.emplace(std::forward<U>(value));
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
// time, or of a task that was moved from, is misuse. It resumes whoever awaits it on the executor
// on which its own last wait ended. Its frame goes when it ends, or when the task is destroyed, and
// with it every wait inside: what was already sent stays sent.
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

  // True once the task has been moved from or has ended.
  [[nodiscard]] bool empty() const noexcept { return !coroutine_; }

  using Awaiter = internal::TaskAwaiter<T>;
  [[nodiscard]] Awaiter operator co_await() && noexcept { return Awaiter(*this); }

 private:
  friend promise_type;
  friend internal::TaskPromiseBase<T>;
  friend Awaiter;
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
