#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "lockstep/internal/wait.h"
#include "lockstep/task.h"

namespace lockstep {

namespace internal {

// `co_await ok(x)`: the value of x, or the end of this coroutine with x's error.
template <class Awaiter>
class OkAwaiter {
 public:
  template <class From>
  explicit OkAwaiter(From& from) : awaiter_(from) {}

  // A result that is already there is examined as if it had been waited for.
  [[nodiscard]] bool await_ready() const { return awaiter_.await_ready() && !failed_now(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    if constexpr (std::is_base_of_v<Wait, std::remove_reference_t<Awaiter>>) {
      if (awaiter_.done() && failed_now()) {
        return end_coroutine<Promise>(coroutine.address(), static_cast<int>(awaiter_.error()));
      }
    }
    awaiter_.start(coroutine, &end_coroutine<Promise>);
  }
  auto await_resume() {
    auto result = awaiter_.await_resume();
    if constexpr (std::is_void_v<typename decltype(result)::value_type>) {
      return;
    } else {
      return std::move(*result);
    }
  }

 private:
  [[nodiscard]] bool failed_now() const {
    if constexpr (std::is_base_of_v<Wait, std::remove_reference_t<Awaiter>>) {
      return awaiter_.failed().has_value();
    } else {
      return false;
    }
  }

  Awaiter awaiter_;
};

// ok() of a Result that is already there.
template <class T>
class OkResult {
 public:
  explicit OkResult(Result<T> result) : result_(std::move(result)) {}
  [[nodiscard]] bool await_ready() const noexcept { return result_.has_value(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    end_coroutine<Promise>(coroutine.address(), static_cast<int>(result_.error()));
  }
  T await_resume() {
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
[[nodiscard]] auto ok(Task<Result<T>>&& task) {
  return internal::OkAwaiter<typename Task<Result<T>>::Awaiter>(task);
}
template <class Waiting>
  requires std::is_base_of_v<internal::Wait, std::remove_cvref_t<Waiting>>
[[nodiscard]] auto ok(Waiting&& waiting) {
  return internal::OkAwaiter<std::remove_cvref_t<Waiting>&>(waiting);
}
template <class T>
[[nodiscard]] auto ok(Result<T> result) {
  return internal::OkResult<T>(std::move(result));
}

}  // namespace lockstep
