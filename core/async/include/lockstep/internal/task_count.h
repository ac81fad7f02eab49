#pragma once

#include <cstdint>
#include <utility>

#include "lockstep/internal/check.h"

namespace lockstep::internal {

// How many tasks refer to the object that has this member. The object must outlive them: destroying
// it earlier is misuse, which is reported here, where it happens, rather than by a task that later
// uses the destroyed object. All calls on the executor. A copy of the object has no tasks yet.
class TaskCount {
 public:
  // A parameter of the coroutine: its frame has it from the call to the end of the task, also
  // before the task is awaited.
  class One {
   public:
    explicit One(TaskCount& all) : all_(&all) { ++all_->count_; }
    One(One&& other) noexcept : all_(std::exchange(other.all_, nullptr)) {}
    One(const One&) = delete;
    One& operator=(const One&) = delete;
    One& operator=(One&&) = delete;
    ~One() {
      if (all_) --all_->count_;
    }

   private:
    TaskCount* all_;
  };

  // `rule` is a literal.
  explicit TaskCount(const char* rule) : rule_(rule) {}
  TaskCount(const TaskCount& other) noexcept : rule_(other.rule_) {}
  TaskCount& operator=(const TaskCount&) = delete;
  ~TaskCount() { check(count_ == 0, rule_); }

 private:
  const char* rule_;
  std::uint32_t count_ = 0;
};

}  // namespace lockstep::internal
