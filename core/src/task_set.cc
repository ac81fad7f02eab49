#include "lockstep/task_set.h"

#include <utility>

namespace lockstep {

// The coroutine at the bottom of each task: links itself into the set and out of it.
struct TaskSet::Root {
  class promise_type : public internal::Pooled {
   public:
    promise_type(TaskSet& set, const Task<void>&) : set_(set) {
      links_.frame = std::coroutine_handle<promise_type>::from_promise(*this).address();
      links_.older = set.youngest_;
      if (set.youngest_) set.youngest_->younger = &links_;
      set.youngest_ = &links_;
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() { set_.unlink(links_); }

    Root get_return_object() noexcept {
      return Root(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept {
      if (!set_.exception_) set_.exception_ = std::current_exception();
    }

   private:
    TaskSet& set_;
    Links links_;
  };

  explicit Root(std::coroutine_handle<> handle) : coroutine(handle) {}
  std::coroutine_handle<> coroutine;
};

TaskSet::Root TaskSet::run(TaskSet&, Task<void> task) { co_await std::move(task); }

void TaskSet::spawn(Task<void> task) {
  const Root root = run(*this, std::move(task));
  internal::run_coroutine(root.coroutine);
}

void TaskSet::unlink(Links& links) noexcept {
  if (links.older) links.older->younger = links.younger;
  if (links.younger) {
    links.younger->older = links.older;
  } else {
    youngest_ = links.older;
  }
}

void TaskSet::clear() noexcept {
  while (youngest_) std::coroutine_handle<>::from_address(youngest_->frame).destroy();
}

}  // namespace lockstep
