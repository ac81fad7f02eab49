#include "lockstep/task_set.h"

#include <utility>

#include "lockstep/internal/exception_witness.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep {

// A task of the set and its awaiter. It lives until the task ends or the set destroys it.
class TaskSet::Running final : public internal::TaskAwaiter<void>, public internal::Pooled {
 public:
  Running(TaskSet& set, Task<void>&& task, bool* ended)
      : TaskAwaiter(task_),
        set_(set),
        task_(std::move(task)),
        ended_(ended),
        older_(set.youngest_) {
    if (older_) older_->younger_ = this;
    set.youngest_ = this;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  // Starts the task on the caller's stack. The caller may be a destructor inside a task that has
  // just ended and has already set `next_coroutine`, so the value is restored.
  void start() {
    const std::coroutine_handle<> next = std::exchange(internal::next_coroutine, nullptr);
    TaskAwaiter::start({}, &Running::end);
    internal::run_next_coroutines();
    internal::next_coroutine = next;
  }
  ~Running() {
    if (older_) older_->younger_ = younger_;
    if (younger_) {
      younger_->older_ = older_;
    } else {
      set_.youngest_ = older_;
    }
  }

 private:
  static void end(TaskAwaiter& awaiter) noexcept {
    auto& self = static_cast<Running&>(awaiter);
    if (self.thrown()) [[unlikely]] {
      self.keep_exception();
    } else if (self.ended_) {
      *self.ended_ = true;
    }
    delete &self;
  }

  [[gnu::cold]] void keep_exception() noexcept {
    internal::ExceptionWitness* const witness = internal::ExceptionWitness::of_this_thread();
    const bool kept_to_itself = &set_.exception_ == &set_.own_exception_;
    if (witness && kept_to_itself) witness->saw(exception());
    if (!set_.exception_) set_.exception_ = exception();
  }

  TaskSet& set_;
  Task<void> task_;
  bool* ended_;
  Running* older_;
  Running* younger_ = nullptr;
};

void TaskSet::spawn(Task<void>&& task, bool* ended) {
  (new Running(*this, std::move(task), ended))->start();
}

void TaskSet::clear() noexcept {
  while (youngest_) delete youngest_;
}

}  // namespace lockstep
