#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "lockstep/blocker.h"
#include "lockstep/task.h"

namespace lockstep::lab {

// Lets code that blocks run in a simulated world: each piece of it on a stack of its own, one at a
// time, on the one thread that there is. Where it waits (lockstep/blocking, and nowhere else), the
// world goes on, and whoever chooses the schedule chooses when it comes back.
//
//   fakezk::World::set_blocker(&fibers), at the start of each execution
//   process.tasks().spawn(fibers.run(process, [&] { const std::lock_guard lock(mutex); ... }));
//
// Fibers share one thread: a std::mutex that another fiber holds, a join, a real sleep stop them
// all. Code that has run for ten seconds without coming back is taken for that: the program says so
// and aborts. Of code that sleeps again and again it says so after two seconds. What it reads from
// a real clock makes an execution that cannot be repeated.
//
// A fiber's stack has 256 KiB and does not grow: recursion that goes deeper, and large arrays, end
// in a SIGSEGV, since what lies below it may not be touched. Under a hunt the last words say so
// (lockstep/lab/last_words.h).
//
// Single-threaded, like the world. Outlives its tasks.
class Fibers final : public Blocker {
 public:
  Fibers();
  ~Fibers();

  // Runs `body` until it returns; throws what it throws. If the task is destroyed while `body`
  // waits, then that wait throws something that is no std::exception, so that its destructors run:
  // `catch (...)` has to throw it again. What these destructors release goes as far as a process
  // gets that is dying, and waits for nothing. Resumes on `executor`, which is its process's.
  Task<void> run(Executor& executor, std::function<void()> body);

  // Code that runs on no fiber is watched in the same way between these two, on this thread.
  // Further ones of the same kind mean nothing.
  void execution_begins();
  void execution_ends() noexcept;

  // block() and caller() throw std::system_error (resource_deadlock_would_occur) on any thread but
  // the one on which the fibers run; block() also for a caller that is no fiber.
  void block(BlockingCall& call) override;
  void over(BlockingCall& call) noexcept override;
  // Each fiber is one.
  [[nodiscard]] LockOwner caller() const override;

 private:
  class Fiber;
  class CallOver;
  class Pool;

  void resume(Fiber& fiber);
  void refuse_other_threads() const;

  std::unique_ptr<Pool> stacks_;
  Fiber* running_ = nullptr;
  std::atomic<std::thread::id> thread_;  // Where its fibers run.
};

}  // namespace lockstep::lab
