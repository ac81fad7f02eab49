#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "lockstep/session.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace internal {

// A callback, and the result of its task until then.
template <class T, class Then>
class CallbackOf final : public Callback {
 public:
  // Tells the executor of exceptions; null: throws them.
  CallbackOf(Then&& then, Executor* executor) : then_(std::move(then)), executor_(executor) {}

  static Task<void> keep_result(Task<T> task, CallbackOf& self) {
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(task);
        self.result_.emplace();
      } else {
        self.result_.emplace(co_await std::move(task));
      }
    } catch (...) {
      self.tell();
    }
  }
  void call() override {
    if (!result_) return;
    try {
      if constexpr (std::is_void_v<T>) {
        then_();
      } else {
        then_(std::move(*result_));
      }
    } catch (...) {
      tell();
    }
  }

 private:
  struct Nothing {};

  // In a handler.
  void tell() const {
    if (!executor_) throw;
    executor_->escaped(std::current_exception());
  }

  Then then_;
  Executor* executor_;
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> result_;
};

}  // namespace internal

// The callback form of every coroutine of this library:
//
//   start(session, mutex.acquire(patience), [](Result<HeldLock> held) { ... });
//
// Starts `task` at once and calls `then` with its result, once, on the executor on which the task
// ended (for all tasks of a session the session's); perhaps before start() returns. An exception
// from the task or from `then` goes to Executor::escaped; the callback is then not called (again).
// If the session is destroyed first, the task is destroyed and `then` is not called; the result is
// cleaned up as after a cancellation. On the executor only. A grant that `then` does not keep is
// released when `then` returns. `then` may destroy the session.
template <class T, class Then>
void start(Session& session, Task<T> task, Then then) {
  using Callback = internal::CallbackOf<T, Then>;
  auto callback = std::make_unique<Callback>(std::move(then), &session.executor());
  Task<void> result = Callback::keep_result(std::move(task), *callback);
  session.in_background(std::move(result), std::move(callback));
}
// The same for a task that may outlive sessions, such as an acquire by OnClient: `tasks` owns it,
// drops it when it is cleared, and keeps its exceptions (TaskSet::first_exception). `then` may
// clear or destroy `tasks`; after that it must not throw.
template <class T, class Then>
void start(TaskSet& tasks, Task<T> task, Then then) {
  using Callback = internal::CallbackOf<T, Then>;
  auto callback = std::make_unique<Callback>(std::move(then), nullptr);
  Task<void> result = Callback::keep_result(std::move(task), *callback);
  tasks.spawn(std::move(result), std::move(callback));
}

}  // namespace lockstep
