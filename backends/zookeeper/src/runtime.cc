#include "lockstep/zookeeper/runtime.h"

#include <memory>
#include <system_error>
#include <utility>

#include "forks.h"
#include "lockstep/internal/check.h"
#include "os_random.h"

namespace lockstep::zookeeper {

namespace {

[[noreturn]] void refuse_child() {
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                          "lockstep: a forked child cannot use its parent's connection");
}

[[noreturn]] void refuse_to_block(bool loop_runs) {
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          loop_runs ? "lockstep: a blocking call inside the loop"
                                    : "lockstep: a blocking call while no thread runs the loop");
}

}  // namespace

Runtime::Queue::Queue() noexcept {
  end_.next_queued = &end_;
  end_.previous_queued = &end_;
}

void Runtime::Queue::push(Runnable& work) noexcept {
  work.queued = true;
  work.next_queued = &end_;
  work.previous_queued = end_.previous_queued;
  end_.previous_queued->next_queued = &work;
  end_.previous_queued = &work;
}

Runnable* Runtime::Queue::pop() noexcept {
  Runnable* const first = end_.next_queued;
  if (first == &end_) return nullptr;
  erase(*first);
  return first;
}

void Runtime::Queue::erase(Runnable& work) noexcept {
  if (!work.queued) return;
  work.next_queued->previous_queued = work.previous_queued;
  work.previous_queued->next_queued = work.next_queued;
  work.queued = false;
}

Runtime::Runtime()
    : forks_(forks()),
      work_came_(),
      loop_thread_(std::this_thread::get_id()),
      random_(std::make_unique<OsRandom>()) {
  bind_to_this_thread();
}

Runtime::~Runtime() {
  spawned_.clear();
  const auto lock = locked();
  if (is_in_child()) return;
  internal::check(blocked_ == 0, "a runtime is destroyed while a call is blocked on it");
  work_came_.~condition_variable();
}

TimePoint Runtime::now() const {
  return TimePoint(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

bool Runtime::is_in_child() const noexcept { return forks_ != forks(); }

std::unique_lock<std::mutex> Runtime::locked() {
  if (is_in_child()) return std::unique_lock(mutex_, std::defer_lock);
  return std::unique_lock(mutex_);
}

void Runtime::post(Runnable& work) {
  const auto lock = locked();
  push(std::this_thread::get_id() == loop_thread_ ? local_ : outside_, work);
}

// Posts a message of the C client's threads, which end before the Runtime does. Notifies without
// the lock, for which the woken loop would have to wait.
void Runtime::post_as_outside(Runnable& work) {
  bool wake = false;
  {
    const auto lock = locked();
    internal::check(!work.queued, "work is posted once at a time");
    outside_.push(work);
    wake = std::exchange(sleeping_, false) && !is_in_child();
  }
  if (wake) work_came_.notify_one();
}

void Runtime::push(Queue& queue, Runnable& work) {
  internal::check(!work.queued, "work is posted once at a time");
  queue.push(work);
  if (std::exchange(sleeping_, false) && !is_in_child()) work_came_.notify_one();
}

void Runtime::withdraw(Runnable& work) noexcept {
  const auto lock = locked();
  Queue::erase(work);
}

void Runtime::start_timer(Timer& timer, TimePoint due) {
  check_is_current();
  timers_.push(timer, due);
}

void Runtime::stop_timer(Timer& timer) noexcept { timers_.erase(timer); }

// Polling code may always have a due timer, and must not keep replies from being delivered.
Runnable& Runtime::wait_for_work() {
  if (is_in_child()) refuse_child();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (Runnable* const work = local_.pop()) return *work;
    if (std::exchange(outside_is_next_, false)) {
      if (Runnable* const work = outside_.pop()) return *work;
    }
    if (!timers_.empty() && timers_.earliest().due <= now()) {
      outside_is_next_ = true;
      return timers_.pop();
    }
    if (Runnable* const work = outside_.pop()) return *work;
    sleeping_ = true;
    if (timers_.empty()) {
      work_came_.wait(lock);
    } else {
      work_came_.wait_until(
          lock, std::chrono::steady_clock::time_point(timers_.earliest().due.time_since_epoch()));
    }
    sleeping_ = false;
  }
}

// Holds while run() is in progress, also if there is no memory for its first task.
class Runtime::Running {
 public:
  explicit Running(Runtime& runtime) : runtime_(runtime) {
    const auto lock = runtime_.locked();
    internal::check(!std::exchange(runtime_.running_, true), "run() is called inside the loop");
    runtime_.loop_thread_ = std::this_thread::get_id();
    runtime_.bind_to_this_thread();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    const auto lock = runtime_.locked();
    runtime_.running_ = false;
  }

 private:
  Runtime& runtime_;
};

void Runtime::run(Task<void> task) {
  if (is_in_child()) refuse_child();
  {
    const Running running(*this);
    bool ended = false;
    TaskSet main;
    main.spawn(run_main(std::move(task), ended));
    while (!ended && !escaped_) run_next();
  }
  if (escaped_) std::rethrow_exception(std::exchange(escaped_, nullptr));
}

// Waits outside the try block: otherwise an exception of the wait itself would repeat endlessly.
void Runtime::run_next() {
  Runnable& work = wait_for_work();
  try {
    work.run();
  } catch (...) {
    escaped(std::current_exception());
  }
}

void Runtime::escaped(std::exception_ptr exception) noexcept {
  if (!escaped_) escaped_ = std::move(exception);
}

void Runtime::block(BlockingCall& call) {
  if (is_in_child()) {
    if (call.is_release()) return;  // Only the parent releases.
    refuse_child();
  }
  std::condition_variable is_over;
  std::unique_lock lock(mutex_);
  const bool on_loop_thread = std::this_thread::get_id() == loop_thread_;
  if (!running_ || on_loop_thread) {
    if (!call.is_release()) refuse_to_block(running_);
    lock.unlock();
    if (on_loop_thread) call.run();
    return;
  }
  call.waiter = &is_over;
  push(outside_, call);
  ++blocked_;
  is_over.wait(lock, [&call] { return call.is_over; });
  --blocked_;
}

// Notifies under the lock, which keeps the waiter from destroying its condition variable.
void Runtime::over(BlockingCall& call) noexcept {
  const auto lock = locked();
  call.is_over = true;
  static_cast<std::condition_variable*>(call.waiter)->notify_one();
}

LockOwner Runtime::caller() const { return LockOwner(std::this_thread::get_id()); }

void Runtime::spawn(Task<void> task) {
  check_is_current();
  spawned_.spawn(keep_exception(std::move(task)));
}

Task<void> Runtime::keep_exception(Task<void> task) {
  try {
    co_await std::move(task);
  } catch (...) {
    escaped(std::current_exception());
  }
}

Task<void> Runtime::run_main(Task<void> task, bool& ended) {
  co_await keep_exception(std::move(task));
  ended = true;
}

}  // namespace lockstep::zookeeper
