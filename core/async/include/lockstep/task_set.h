#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/task.h"

namespace lockstep {

namespace internal {

// The call that follows a task.
class Callback : public Pooled {
 public:
  Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  virtual ~Callback() = default;
  virtual void call() = 0;
};

}  // namespace internal

// Owns detached tasks: each runs until it ends, or until the set is cleared or destroyed, which
// destroys the rest, the youngest first. None of these tasks may do that, because it would destroy
// itself (checked). One executor only.
class TaskSet {
 public:
  TaskSet() : TaskSet(own_exception_) {}
  // Keeps the first exception in an external place, which outlives the set and may be shared.
  explicit TaskSet(std::exception_ptr& first_exception) : exception_(first_exception) {}
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;
  ~TaskSet() {
    if (!empty()) clear();
  }

  // Starts `task` at once, on the caller's stack.
  void spawn(Task<void> task) { spawn(std::move(task), nullptr, nullptr); }
  // The same; sets `ended`, which outlives the task, when the task ends without an exception.
  void spawn(Task<void> task, bool& ended) { spawn(std::move(task), &ended, nullptr); }
  // For start(), in callback.h: makes the call when the task has ended without an exception and has
  // nothing left in its frame. The callback may clear or destroy the set; after that it must not
  // throw.
  void spawn(Task<void> task, std::unique_ptr<internal::Callback> callback) {
    spawn(std::move(task), nullptr, std::move(callback));
  }
  [[nodiscard]] bool empty() const noexcept { return youngest_ == nullptr; }
  void clear() noexcept;  // Destroys all tasks, the youngest first.

  // The first exception that escaped from a task, or null. One that is kept here fails a hunt as
  // "crash".
  [[nodiscard]] std::exception_ptr first_exception() const { return exception_; }
  [[nodiscard]] bool failed() const noexcept { return exception_ != nullptr; }
  void forget_exception() noexcept { exception_ = nullptr; }  // For an owner that handled it.

 private:
  class Running;

  void spawn(Task<void>&& task, bool* ended, std::unique_ptr<internal::Callback> callback);

  Running* youngest_ = nullptr;
  std::exception_ptr own_exception_;
  std::exception_ptr& exception_;
};

}  // namespace lockstep
