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

// What every task's promise has: who waits for it, and how that one ends if it said `ok(...)`.
class TaskPromiseBase : public Pooled {
 public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  void set_continuation(std::coroutine_handle<> continuation, EndWithError end_with_error) {
    check(continuation_.address() == nullptr,
          "a task is awaited once, and somebody awaits this one already");
    continuation_ = continuation;
    end_continuation_ = end_with_error;
  }

 protected:
  void rethrow_if_thrown() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

  std::coroutine_handle<> continuation_;
  EndWithError end_continuation_ = nullptr;
  std::exception_ptr exception_;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<T> get_return_object() noexcept;

  struct Leave {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<TaskPromise> self) const noexcept {
      self.promise().leave();
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] Leave final_suspend() const noexcept { return {}; }

  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }

  // Hands over to whoever waits: resumed with the result, or ended with its error.
  void leave() noexcept {
    if constexpr (IsResult<T>::value) {
      if (end_continuation_ && value_ && !value_->has_value()) {
        end_continuation_(continuation_.address(), static_cast<int>(value_->error()));
        return;
      }
    }
    next_coroutine = continuation_;
  }

  [[nodiscard]] T take() {
    rethrow_if_thrown();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;

  struct Leave {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<TaskPromise> self) const noexcept {
      next_coroutine = self.promise().continuation_;
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] Leave final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void take() { rethrow_if_thrown(); }
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
    explicit Awaiter(Task& task) noexcept : task_(task) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> parent) noexcept { start(parent, nullptr); }
    T await_resume() { return task_.take(); }

    // For ok(): like await_suspend, but an error ends the parent.
    void start(std::coroutine_handle<> parent, internal::EndWithError end_parent) noexcept {
      internal::check(task_.coroutine_.address() != nullptr,
                      "a task is awaited once, and not after it was moved from");
      task_.coroutine_.promise().set_continuation(parent, end_parent);
      internal::next_coroutine = task_.coroutine_;
    }

   private:
    Task& task_;
  };
  [[nodiscard]] Awaiter operator co_await() && noexcept { return Awaiter(*this); }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  // The result; the frame and everything in it is gone afterwards.
  T take() {
    const Task finished = std::move(*this);
    return finished.coroutine_.promise().take();
  }
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
