#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "lockstep/blocker.h"
#include "lockstep/lock_observer.h"
#include "lockstep/task.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace internal {

template <class T>
struct TaskResult;
template <class T>
struct TaskResult<Task<T>> {
  using type = T;
};

// The call of blocking::run(). It runs twice: to begin, and again when its task has ended and the
// frame is destroyed, since the caller may destroy everything as soon as the call is over.
template <class T, class Make>
class TaskCall final : public BlockingCall {
 public:
  TaskCall(Executor& executor, Make make) : BlockingCall(executor, kKind), make_(std::move(make)) {}
  // Withdraws and drops the task if the blocker has thrown: the task has not ended then.
  ~TaskCall() override { executor().withdraw(*this); }

  T wait() {
    executor().blocker().block(*this);
    if (exception_) std::rethrow_exception(exception_);
    if constexpr (kKind == Kind::kRelease) {
      if (!ended_) return ReleaseOutcome::kUnknown;  // The caller could not wait.
    } else if constexpr (IsResult<T>::value) {
      if (!ended_) return failure(Error::kCancelled);
    }
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  struct Nothing {};
  static constexpr Kind kKind = std::is_same_v<T, ReleaseOutcome>         ? Kind::kRelease
                                : std::is_void_v<T> || IsResult<T>::value ? Kind::kNoValue
                                                                          : Kind::kHasValue;

  void run() override {
    if (ended_) return executor().blocker().over(*this);
    try {
      task_.spawn(keep(*this));
    } catch (...) {  // It found no memory for its frame.
      end_with_exception();
    }
  }
  static Task<void> keep(TaskCall& self) {
    try {
      Task<T> task = self.make_();
      if constexpr (std::is_void_v<T>) {
        co_await std::move(task);
      } else {
        self.value_.emplace(co_await std::move(task));
      }
      self.end();
    } catch (...) {
      self.end_with_exception();
    }
  }
  void end() {
    ended_ = true;
    executor().post(*this);
  }
  void end_with_exception() {
    exception_ = std::current_exception();
    end();
  }

  Make make_;
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value_;
  std::exception_ptr exception_;
  bool ended_ = false;
  TaskSet task_;
};

}  // namespace internal

namespace blocking {

// Waits for a coroutine from blocking code: `executor` calls make() and runs the task that it
// returns; the caller waits for its end and gets the result. Rethrows exceptions of the task; also
// throws what Blocker::block() throws, with the task destroyed.
//
//   const auto queue = blocking::run(client.executor(), [&] { return contenders(client); });
//
// In a hunt a process may crash while its code waits here: this then throws an exception that only
// unwinds. Calls that destructors make during the unwinding, such as unlock() of std::unique_lock,
// begin their work and return at once, with Error::kCancelled if the result is a Result. A
// destructor must not throw either if its process crashes while it waits here in normal operation:
// let it run a task of ReleaseOutcome, which returns kUnknown then. With any other task the program
// ends, with a message.
//
// Callable wherever blocking is allowed: on another thread, or in a test that runs a simulation by
// hand; never from code that the executor itself runs. The result moves to the caller, so it must
// not belong to the executor, as grants and sessions do.
template <class Make>
auto run(Executor& executor, Make make) {
  using Result = typename lockstep::internal::TaskResult<std::invoke_result_t<Make&>>::type;
  return lockstep::internal::TaskCall<Result, Make>(executor, std::move(make)).wait();
}

}  // namespace blocking
}  // namespace lockstep
