#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "lockstep/internal/wait.h"
#include "lockstep/task.h"

namespace lockstep {

namespace internal {

// `co_await ok(task)`: the task's value, or the end of this coroutine with its error.
template <class T>
class OkTask {
  using Awaiter = TaskAwaiter<Result<T>>;

 public:
  explicit OkTask(Task<Result<T>>& task) noexcept : awaiter_(task) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
    awaiter_.start(coroutine, &Awaiter::template go_on_or_end<Promise>);
  }
  [[nodiscard("a grant that is dropped is released at once: keep it")]] T await_resume() {
    Result<T>& result = awaiter_.outcome();
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }

 private:
  Awaiter awaiter_;
};

// The same for operations, watches and other waits of a session.
template <class Waiting>
class OkWait {
 public:
  explicit OkWait(Waiting& waiting) noexcept : waiting_(waiting) {}
  // A result that is already available is examined in the same way.
  [[nodiscard]] bool await_ready() const { return waiting_.await_ready() && !waiting_.failed(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    if (waiting_.done() && waiting_.failed()) {
      return end_coroutine<Promise>(coroutine.address(), static_cast<int>(waiting_.error()));
    }
    waiting_.start(coroutine, &end_coroutine<Promise>);
  }
  auto await_resume() {
    auto result = waiting_.await_resume();
    if constexpr (!std::is_void_v<typename decltype(result)::value_type>) {
      return std::move(*result);
    }
  }

 private:
  Waiting& waiting_;
};

// ok() of a Result that is already available.
template <class T>
class OkResult {
 public:
  explicit OkResult(Result<T> result) : result_(std::move(result)) {}
  [[nodiscard]] bool await_ready() const noexcept { return result_.has_value(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    end_coroutine<Promise>(coroutine.address(), static_cast<int>(result_.error()));
  }
  [[nodiscard]] T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(*result_);
  }

 private:
  Result<T> result_;
};

}  // namespace internal

// Unwraps inside a coroutine that returns a Result: `co_await ok(x)` is x's value; if x is an
// error, the coroutine returns that error there and then (Rust's `?`). x is a Task<Result<T>>, a
// wait of a session (an operation, a watch, connected()), or a Result<T>.
template <class T>
[[nodiscard("nothing is awaited yet: write co_await ok(...)")]] auto ok(Task<Result<T>>&& task) {
  return internal::OkTask<T>(task);
}
template <class Waiting>
  requires std::is_base_of_v<internal::Wait, std::remove_cvref_t<Waiting>>
[[nodiscard("nothing is awaited yet: write co_await ok(...)")]] auto ok(Waiting&& waiting) {
  return internal::OkWait<std::remove_cvref_t<Waiting>>(waiting);
}
template <class T>
[[nodiscard("nothing is awaited yet: write co_await ok(...)")]] auto ok(Result<T> result) {
  return internal::OkResult<T>(std::move(result));
}

}  // namespace lockstep
