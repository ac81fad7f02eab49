#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "lockstep/clock.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep {

class Blocker;

// A piece of work that can be queued without allocating: the object is its own queue entry, so it
// can be in one queue at a time and must be withdrawn before it is destroyed.
class Runnable {
 public:
  Runnable() = default;
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;
  virtual ~Runnable() = default;
  // Runs on the executor to which it was posted.
  virtual void run() = 0;

  // For the executor that holds it.
  Runnable* next_queued = nullptr;
  Runnable* previous_queued = nullptr;
  bool queued = false;
};

// A Runnable that becomes due at an instant.
class Timer : public Runnable {
 public:
  static constexpr std::size_t kIdle = static_cast<std::size_t>(-1);

  // A background timer does not keep a simulation running: the simulation ends when no other work
  // is left.
  bool background = false;

  // For the executor that holds it.
  TimePoint due{};
  std::uint64_t order = 0;
  std::size_t position = kIdle;
};

// A strand with a clock: everything that belongs to one session runs on one executor, one piece
// at a time, so recipes need no locks. Work runs in the order it was posted.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  [[nodiscard]] virtual TimePoint now() const = 0;  // From any thread.

  // Queues `work`, which must not be queued already. From any thread.
  virtual void post(Runnable& work) = 0;
  // Removes `work` from the queue if it is there. From any thread; afterwards `work` will not start
  // any more (it may still be running on the executor if the caller is elsewhere).
  virtual void withdraw(Runnable& work) noexcept = 0;

  // Runs `timer` at `due` or later; timers due at the same instant run in the order they were
  // started. On the executor only.
  virtual void start_timer(Timer& timer, TimePoint due) = 0;
  // Stops a timer that was started and has not run; otherwise does nothing. On the executor only.
  virtual void stop_timer(Timer& timer) noexcept = 0;

  // Takes an exception that no caller can receive: from a background task or a listener. The run of
  // the executor throws the first of them; other work is not affected. On the executor only.
  virtual void escaped(std::exception_ptr exception) noexcept = 0;

  // Lets blocking code wait for work on this executor. From any thread.
  [[nodiscard]] virtual Blocker& blocker() noexcept = 0;

  // False on a thread to which this executor does not belong. Every wait and every request checks
  // it: if they began on another thread, they would race with the executor's work. A simulated
  // world has one thread and does not bind its executors, so this is always true there. From any
  // thread.
  [[nodiscard]] bool is_current() const noexcept {
    const void* const thread = thread_.load(std::memory_order_relaxed);
    return thread == nullptr || thread == callers_thread();
  }
  void check_is_current() const noexcept {
    internal::check(is_current(),
                    "a wait, a request or a timer is begun on another thread than its executor's: "
                    "use lockstep/blocking there, or post to the executor");
  }

 protected:
  // From now on this executor belongs to the calling thread.
  void bind_to_this_thread() noexcept {
    thread_.store(callers_thread(), std::memory_order_relaxed);
  }

 private:
  // An address that no other living thread has.
  static const void* callers_thread() noexcept { return &internal::next_coroutine; }

  std::atomic<const void*> thread_ = nullptr;
};

}  // namespace lockstep
