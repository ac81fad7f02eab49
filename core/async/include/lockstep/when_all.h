#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/internal/trampoline.h"
#include "lockstep/task.h"

namespace lockstep {

namespace internal {

// Counts the unfinished tasks of a when_all() and resumes its caller after the last one.
class Join {
 public:
  explicit Join(std::size_t tasks) noexcept : left_(tasks) {}
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;

  void wait(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void one_ended(const std::exception_ptr& thrown) noexcept {
    if (thrown && !exception_) exception_ = thrown;
    if (--left_ == 0) next_coroutine = waiting_;
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::size_t left_;
  std::coroutine_handle<> waiting_;
  std::exception_ptr exception_;  // the first one
};

template <class T>
class JoinedTask final : public TaskAwaiter<T> {
 public:
  // The parameters of one task, as a single argument.
  class Of {
   public:
    Of(Task<T>& joined_task, Join& its_join) : task(joined_task), join(its_join) {}
    Task<T>& task;
    Join& join;
  };
  JoinedTask(Of of)  // NOLINT: for a tuple
      : TaskAwaiter<T>(task_), join_(of.join), task_(std::move(of.task)) {}

  // Starts the task on the caller's stack.
  void start() {
    TaskAwaiter<T>::start({}, &JoinedTask::end);
    run_next_coroutines();
  }
  auto take() {
    if constexpr (std::is_void_v<T>) {
      this->await_resume();
      return std::monostate();
    } else {
      return this->await_resume();
    }
  }

 private:
  static void end(TaskAwaiter<T>& awaiter) noexcept {
    auto& self = static_cast<JoinedTask&>(awaiter);
    // A task that ok() has ended still has its frame: its locals, a grant for example, must not
    // wait for the other tasks.
    static_cast<void>(Task<T>(std::move(self.task_)));
    self.join_.one_ended(self.thrown() ? self.exception() : nullptr);
  }

  Join& join_;
  Task<T> task_;
};

// `co_await` starts all tasks and waits until the last one has ended. `start_all` is not a
// coroutine.
template <class StartAll>
class JoinAll {
 public:
  JoinAll(Join& join, StartAll& start_all) noexcept : join_(join), start_all_(start_all) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    join_.wait(waiting);
    start_all_();
    // This entry keeps a task from resuming the caller before all are started.
    join_.one_ended(nullptr);
  }
  void await_resume() const { join_.rethrow(); }

 private:
  Join& join_;
  StartAll& start_all_;
};

template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

}  // namespace internal

// Runs tasks concurrently, all on the executor of the awaiting coroutine, and waits until every one
// of them has ended. They start in the order of the arguments, each up to its first wait. The
// results have that order, whichever task ends first; a task without a result gives std::monostate.
// An exception from one task does not end the others: the first exception is thrown once all have
// ended. An error in a Result is left to the caller. Destroying the task destroys all of them, with
// every wait inside.
//
//   const auto both = co_await when_all(mutex.acquire(context), other.acquire(context));
//   const Result<HeldLock>& left = std::get<0>(both);
template <class... Ts>
Task<std::tuple<internal::ValueOf<Ts>...>> when_all(Task<Ts>... tasks) {
  internal::Join join(sizeof...(Ts) + 1);
  std::tuple<internal::JoinedTask<Ts>...> joined(
      typename internal::JoinedTask<Ts>::Of(tasks, join)...);
  auto start_all = [&joined] { std::apply([](auto&... each) { (each.start(), ...); }, joined); };
  co_await internal::JoinAll(join, start_all);
  co_return std::apply(
      [](auto&... each) { return std::tuple<internal::ValueOf<Ts>...>{each.take()...}; }, joined);
}

// The same for any number of tasks of one type.
template <class T>
Task<std::vector<T>> when_all(std::vector<Task<T>> tasks) {
  internal::Join join(tasks.size() + 1);
  std::deque<internal::JoinedTask<T>> joined;
  for (Task<T>& task : tasks) joined.emplace_back(typename internal::JoinedTask<T>::Of(task, join));
  auto start_all = [&joined] {
    for (internal::JoinedTask<T>& each : joined) each.start();
  };
  co_await internal::JoinAll(join, start_all);
  std::vector<T> results;
  results.reserve(joined.size());
  for (internal::JoinedTask<T>& each : joined) results.push_back(each.take());
  co_return std::move(results);
}
inline Task<void> when_all(std::vector<Task<void>> tasks) {
  internal::Join join(tasks.size() + 1);
  std::deque<internal::JoinedTask<void>> joined;
  for (Task<void>& task : tasks) joined.emplace_back(internal::JoinedTask<void>::Of(task, join));
  auto start_all = [&joined] {
    for (internal::JoinedTask<void>& each : joined) each.start();
  };
  co_await internal::JoinAll(join, start_all);
}

}  // namespace lockstep
