#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <new>
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
template <class Promise>
void end_coroutine(void* address, int error);

template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<Result<T>> : std::true_type {};

// The outcome of a task: empty at first, then a value, or the exception that has escaped.
template <class T>
class TaskOutcome {
 public:
  TaskOutcome() noexcept {}  // NOLINT: nothing of the union lives yet.
  TaskOutcome(const TaskOutcome&) = delete;
  TaskOutcome& operator=(const TaskOutcome&) = delete;
  ~TaskOutcome() {
    if (kind_ == Kind::kValue) {
      value_.~Value();
    } else if (kind_ == Kind::kException) [[unlikely]] {
      exception_.~exception_ptr();
    }
  }

  template <class... From>
  void emplace(From&&... from) {
    ::new (static_cast<void*>(&value_)) Value(std::forward<From>(from)...);
    kind_ = Kind::kValue;
  }
  // The exception counts even if there is a value: a destructor may throw after that.
  void keep(std::exception_ptr&& thrown) noexcept {
    if (kind_ == Kind::kValue) value_.~Value();
    ::new (static_cast<void*>(&exception_)) std::exception_ptr(std::move(thrown));
    kind_ = Kind::kException;
  }
  [[nodiscard]] bool has_value() const noexcept { return kind_ == Kind::kValue; }
  [[nodiscard]] bool thrown() const noexcept { return kind_ == Kind::kException; }
  [[nodiscard]] auto& value() noexcept { return value_; }
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return exception_; }

 private:
  struct Nothing {};
  using Value = std::conditional_t<std::is_void_v<T>, Nothing, T>;
  enum class Kind : std::uint8_t { kNothing, kValue, kException };

  union {
    Value value_;
    std::exception_ptr exception_;
  };
  Kind kind_ = Kind::kNothing;
};

// The awaiter of a task, and the place for the task's outcome. The frame can therefore be destroyed
// as soon as the task ends. Never moved.
template <class T>
class TaskAwaiter {
 public:
  // Called when the task has ended; resumes the awaiting code. (With a virtual function, the
  // undefined behaviour sanitizer would check every use of this class.)
  using Ended = void (*)(TaskAwaiter& self) noexcept;

  explicit TaskAwaiter(Task<T>& task) noexcept : task_(task) {}
  TaskAwaiter(const TaskAwaiter&) = delete;
  TaskAwaiter& operator=(const TaskAwaiter&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { start(waiting, nullptr); }
  // The compiler warns about a dropped Result where it can see it (Clang can; GCC 12 cannot): a
  // dropped grant is released at once, and a dropped error goes unnoticed. An intended drop is
  // written as static_cast<void>(co_await ...). Other values may be dropped, such as
  // ReleaseOutcome, which observers get as well.
  [[nodiscard(
      "a grant that is dropped is released at once, and an error goes unnoticed: keep it, or write "
      "static_cast<void>(co_await ...)")]] T
  await_resume()
    requires IsResult<T>::value
  {
    return take();
  }
  T await_resume() { return take(); }

  // Runs the task next. If `waiting` is null, ended() decides what runs after the task.
  void start(std::coroutine_handle<> waiting, Ended ended) noexcept {
    check(task_.coroutine_.address() != nullptr,
          "a task is awaited once, and not after it was moved from");
    task_.coroutine_.promise().set_awaiter(*this);
    waiting_ = waiting;
    ended_ = ended;
    next_coroutine = task_.coroutine_;
  }

  // For ok(), of a task with a Result: an error ends the waiting coroutine, whose promise is a
  // Promise.
  template <class Promise>
  static void go_on_or_end(TaskAwaiter& self) noexcept {
    if (self.outcome_.has_value() && !self.outcome_.value().has_value()) [[unlikely]] {
      const Error error = self.outcome_.value().error();
      return end_coroutine<Promise>(self.waiting_.address(), static_cast<int>(error));
    }
    next_coroutine = self.waiting_;
  }
  // For ok(): the outcome, which is not an error.
  [[nodiscard]] auto& outcome() {
    take_outcome();
    return outcome_.value();
  }

 protected:
  [[nodiscard]] bool thrown() const noexcept { return outcome_.thrown(); }
  [[nodiscard]] const std::exception_ptr& exception() const noexcept {
    return outcome_.exception();
  }

 private:
  friend class TaskPromiseBase<T>;
  friend class TaskPromise<T>;

  T take() {
    take_outcome();
    if constexpr (!std::is_void_v<T>) return std::move(outcome_.value());
  }
  void take_outcome() {
    if constexpr (IsResult<T>::value) {
      // The frame still exists if ok() ended the task with an error, in its middle.
      task_.destroy();
    }
    if (std::is_void_v<T> ? outcome_.thrown() : !outcome_.has_value()) [[unlikely]] {
      fail();
    }
  }
  // GCC 12 does not warn of a coroutine that runs off its end.
  [[noreturn, gnu::cold, gnu::noinline]] void fail() {
    check(outcome_.thrown(),
          "a task has ended without its result: its coroutine lacks a co_return");
    std::rethrow_exception(outcome_.exception());
  }

  Task<T>& task_;
  std::coroutine_handle<> waiting_;
  Ended ended_ = nullptr;  // Set together with waiting_, when the task is started.
  TaskOutcome<T> outcome_;
};

// The common part of every task's promise: its awaiter.
template <class T>
class TaskPromiseBase : public Pooled {
 public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  // The frame is destroyed at once; the trampoline resumes the awaiting coroutine later.
  [[nodiscard]] std::suspend_never final_suspend() noexcept {
    leave(std::exchange(awaiter_->task_.coroutine_, nullptr));
    return {};
  }
  void unhandled_exception() noexcept { awaiter_->outcome_.keep(std::current_exception()); }

  void set_awaiter(TaskAwaiter<T>& awaiter) {
    check(!awaiter_, "a task is awaited once, and this one is awaited already");
    awaiter_ = &awaiter;
  }
  // The outcome is complete: leaves this coroutine for its awaiter.
  void leave(std::coroutine_handle<> self) noexcept {
    outcome_is_complete(self);
    if (awaiter_->ended_) return awaiter_->ended_(*awaiter_);
    next_coroutine = awaiter_->waiting_;
  }

 protected:
  TaskAwaiter<T>* awaiter_ = nullptr;
};

template <class T>
class TaskPromise : public TaskPromiseBase<T> {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    constexpr bool kIsError = IsResult<T>::value && std::is_same_v<std::remove_cvref_t<U>, Error>;
    static_assert(!kIsError, "an error is returned as a failure: co_return failure(error)");
    if constexpr (!kIsError) this->awaiter_->outcome_.emplace(std::forward<U>(value));
  }
};

template <>
class TaskPromise<void> : public TaskPromiseBase<void> {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
};

template <class Promise>
struct TakesErrors : std::true_type {};
template <class T>
struct TakesErrors<TaskPromise<T>> : IsResult<T> {};

// Ends a coroutine that is suspended in `co_await ok(...)`.
template <class Promise>
void end_coroutine(void* address, int error) {
  static_assert(
      TakesErrors<Promise>::value,
      "co_await ok(...) ends the coroutine with the error, so the coroutine has to return a "
      "Result: Task<Result<int>>, not Task<int>");
  if constexpr (TakesErrors<Promise>::value) {
    const auto coroutine = std::coroutine_handle<Promise>::from_address(address);
    coroutine.promise().return_value(failure(static_cast<Error>(error)));
    coroutine.promise().leave(coroutine);
  }
}

}  // namespace internal

// A coroutine that produces a T. Lazy (it starts when awaited), move-only, awaited once: awaiting
// it again, or after it was moved from, is misuse. The awaiting coroutine resumes on the executor
// on which the task's own last wait ended. The frame is destroyed when the task ends, or together
// with the task object, and with it every wait inside: requests already sent stay sent. A task must
// not destroy itself while it runs (checked). Task coroutines take parameters by value, and
// references only to objects that outlive the task.
template <class T = void>
class [[nodiscard("a task does nothing until it is awaited: co_await it, or spawn it")]] Task {
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
  template <class Self = Task>
  Awaiter operator co_await() & noexcept {
    static_assert(!std::is_same_v<Self, Task>,
                  "a task is awaited once, and gone then: co_await std::move(task)");
    return Awaiter(*this);
  }

 private:
  friend promise_type;
  friend internal::TaskPromiseBase<T>;
  friend Awaiter;
  explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  void destroy() noexcept {
    if (coroutine_) internal::destroy_coroutine(std::exchange(coroutine_, nullptr));
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
