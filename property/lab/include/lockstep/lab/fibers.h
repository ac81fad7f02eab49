#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "lockstep/blocker.h"
#include "lockstep/lab/bodies.h"
#include "lockstep/task.h"

namespace lockstep::fakezk {
class Process;
}

namespace lockstep::lab {

// Lets blocking code run in a simulated world: each body on its own stack, one at a time, on one
// thread. When a body waits (in lockstep/blocking, and nowhere else), the world goes on. When its
// call is over, the chooser decides when the body continues (fakezk::Thread): replies, watch events
// and other bodies may come first. Between two blocking calls a body runs without interruption.
//
//   fakezk::World::set_blocker(&fibers), at the start of each execution
//   process.tasks().spawn(fibers.run(process, [&] { const std::lock_guard lock(mutex); ... }));
//
// Fibers share one thread: a std::mutex that another fiber holds, a join, or a real sleep stops
// them all. After ten seconds without a return the program reports that and aborts. After two
// seconds of repeated sleeping it prints a warning. Reading a real clock makes an execution
// irreproducible.
//
// A fiber's stack has 256 KiB and does not grow: deep recursion and large arrays end in a SIGSEGV,
// because the page below the stack is protected. In a hunt the last words report it
// (lockstep/lab/last_words.h).
//
// Single-threaded, like the world. Outlives its tasks.
class Fibers final : public Blocker, public Bodies {
 public:
  Fibers();
  ~Fibers();

  // Runs `body` until it returns; rethrows its exception. If the task is destroyed while `body`
  // waits, the wait throws something that is not a std::exception, so that the destructors in
  // `body` run: `catch (...)` has to rethrow it. Releases in these destructors go as far as those
  // of a dying process, and wait for nothing. Resumes on `process`.
  Task<void> run(fakezk::Process& process, std::function<void()> body);
  Task<void> run_beside(Executor&, fakezk::Process& process, std::function<void()> body) override {
    return run(process, std::move(body));
  }

  // Between these two calls, the watchdog also watches code on this thread that runs outside of
  // fibers. Nested calls have no effect.
  void execution_begins();
  void execution_ends() noexcept;

  // block() and caller() throw std::system_error (resource_deadlock_would_occur) on any thread but
  // the fibers' own; block() also throws if the caller is not a fiber.
  void block(BlockingCall& call) override;
  void over(BlockingCall& call) noexcept override;
  // The fiber that is running.
  [[nodiscard]] LockOwner caller() const override;
  // The fiber that is running is unwound.
  [[nodiscard]] bool is_dying() const noexcept override;

 private:
  class Fiber;
  class CallOver;
  class Pool;

  void resume(Fiber& fiber);
  void refuse_other_threads() const;

  std::unique_ptr<Pool> stacks_;
  Fiber* running_ = nullptr;
  std::atomic<std::thread::id> thread_;  // The thread of its fibers.
};

}  // namespace lockstep::lab
