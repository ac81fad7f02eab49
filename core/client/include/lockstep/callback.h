#pragma once

#include <type_traits>
#include <utility>

#include "lockstep/session.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace internal {

template <class T, class Then>
Task<void> call_back(Task<T> task, Then then) {
  if constexpr (std::is_void_v<T>) {
    co_await std::move(task);
    then();
  } else {
    T result = co_await std::move(task);
    then(std::move(result));
  }
}

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
// released when `then` returns.
template <class T, class Then>
void start(Session& session, Task<T> task, Then then) {
  session.in_background(internal::call_back(std::move(task), std::move(then)));
}
// The same for a task that may outlive sessions, such as an acquire by OnClient: `tasks` owns it,
// clearing that drops it, and exceptions stay there (TaskSet::first_exception).
template <class T, class Then>
void start(TaskSet& tasks, Task<T> task, Then then) {
  tasks.spawn(internal::call_back(std::move(task), std::move(then)));
}

}  // namespace lockstep
