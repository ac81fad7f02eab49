#include "lockstep/task_set.h"

#include <exception>
#include <memory>
#include <utility>

#include "lockstep/internal/exception_witness.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep {

// A task of the set and its awaiter. It lives until the task and its callback have ended, or until
// the set destroys it before that.
class TaskSet::Running final : public internal::TaskAwaiter<void>, public internal::Pooled {
 public:
  Running(TaskSet& set, Task<void>&& task, bool* ended, std::unique_ptr<internal::Callback> then)
      : TaskAwaiter(task_),
        set_(&set),
        callback_(std::move(then)),
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
  // A callback that runs is not destroyed: it may be the one that clears the set.
  void drop() noexcept {
    if (calls_back_) return leave();
    delete this;
  }
  ~Running() {
    if (set_) leave();
  }
  [[nodiscard]] Running* older() const noexcept { return older_; }

 private:
  void leave() noexcept {
    if (older_) older_->younger_ = younger_;
    if (younger_) {
      younger_->older_ = older_;
    } else {
      set_->youngest_ = older_;
    }
    set_ = nullptr;
  }
  static void end(TaskAwaiter& awaiter) noexcept {
    auto& self = static_cast<Running&>(awaiter);
    if (self.thrown()) [[unlikely]] {
      self.keep(self.exception());
    } else if (self.ended_) {
      *self.ended_ = true;
    } else if (self.callback_) {
      self.call_back();
    }
    delete &self;
  }
  void call_back() noexcept {
    calls_back_ = true;
    try {
      callback_->call();
    } catch (...) {
      if (!set_) std::terminate();
      keep(std::current_exception());
    }
  }

  [[gnu::cold]] void keep(const std::exception_ptr& thrown) noexcept {
    internal::ExceptionWitness* const witness = internal::ExceptionWitness::of_this_thread();
    const bool kept_to_itself = &set_->exception_ == &set_->own_exception_;
    if (witness && kept_to_itself) witness->saw(thrown);
    if (!set_->exception_) set_->exception_ = thrown;
  }

  TaskSet* set_;                                  // Null once it has left.
  std::unique_ptr<internal::Callback> callback_;  // Outlives the task, whose result it keeps.
  bool calls_back_ = false;
  Task<void> task_;
  bool* ended_;
  Running* older_;
  Running* younger_ = nullptr;
};

void TaskSet::spawn(Task<void>&& task, bool* ended, std::unique_ptr<internal::Callback> callback) {
  (new Running(*this, std::move(task), ended, std::move(callback)))->start();
}

void TaskSet::clear() noexcept {
  // drop() takes the task out of the list too, but the static analyzer cannot see that.
  while (youngest_) std::exchange(youngest_, youngest_->older())->drop();
}

}  // namespace lockstep
