#pragma once

#include <optional>
#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/context.h"
#include "lockstep/internal/check.h"
#include "lockstep/result.h"
#include "lockstep/task.h"

namespace lockstep {

// A value that coroutines wait for: set() once, and each get(), earlier or later, returns a copy.
// All calls on the executor; outlives its gets. Setting it twice is misuse.
template <class T>
class AsyncPromise {
 public:
  explicit AsyncPromise(Executor& executor) : is_set_(executor) {}

  [[nodiscard]] bool is_set() const noexcept { return is_set_.is_set(); }
  void set(T value) {
    internal::check(!is_set(), "a promise is set twice");
    value_.emplace(std::move(value));
    is_set_.set();
  }
  // Errors: kTimedOut and kCancelled, if the context ends first. Resumes on the executor.
  [[nodiscard]] Task<Result<T>> get(Context context = {}) {
    const Result<void> waited = co_await is_set_.wait(std::move(context));
    if (!waited) co_return failure(waited.error());
    co_return *value_;
  }

 private:
  AsyncEvent is_set_;
  std::optional<T> value_;
};

}  // namespace lockstep
