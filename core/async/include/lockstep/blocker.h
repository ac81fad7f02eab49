#pragma once

#include <cstdint>

#include "lockstep/executor.h"
#include "lockstep/lock_owner.h"

namespace lockstep {

// A call that keeps its caller waiting. run() begins it, on its executor; at its end it calls
// Blocker::over() there, once, as its last action. Its waiting caller owns it.
class BlockingCall : public Runnable {
 public:
  // The kinds of calls, by what their callers need of them.
  enum class Kind : std::uint8_t {
    kHasValue,  // Its caller cannot continue without the value.
    kNoValue,   // Its caller can, for example while an exception unwinds the stack.
    kRelease    // It releases something, as destructors do: Blocker::block() must not throw, even
                // if the caller cannot wait.
  };

  BlockingCall(Executor& executor, Kind of_call) : kind(of_call), executor_(executor) {}
  [[nodiscard]] Executor& executor() const noexcept { return executor_; }
  [[nodiscard]] bool is_release() const noexcept { return kind == Kind::kRelease; }

  const Kind kind;
  // For the blocker that holds it.
  void* waiter = nullptr;
  bool is_over = false;

 private:
  Executor& executor_;
};

// How blocking code waits for an executor's work: a thread outside of the production backend's
// loop, a test that runs its simulation by hand, a fiber of a hunt. Every Executor has one, and
// nothing else in this library blocks.
class Blocker {
 public:
  Blocker() = default;
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  // Posts `call` to its executor and keeps the caller here until the call is over. Code that the
  // executor itself runs must not call it: it would wait for itself, and gets std::system_error,
  // std::errc::resource_deadlock_would_occur. A blocker that can see that the call will never end
  // throws, too, and so does one in a dying simulated process. A release does not throw there: it
  // begins, if its executor's thread is the caller's, and this returns before it is over. In a
  // dying process, so does a call without a value that is made while an exception unwinds its
  // caller. The executor no longer uses a call that is not over once the caller has destroyed it.
  virtual void block(BlockingCall& call) = 0;
  // Lets the caller continue; the call may be destroyed when this returns. On the call's executor.
  virtual void over(BlockingCall& call) noexcept = 0;
  // The current caller: a thread or a fiber.
  [[nodiscard]] virtual LockOwner caller() const = 0;
  // True in a forked child of the process that made the executor: the child has none of its
  // threads, and its locks belong to the parent. From any thread.
  [[nodiscard]] virtual bool is_in_child() const noexcept { return false; }
  // True while the caller is only unwound, because its simulated process has died: it cannot give
  // back what it holds, which ends with its sessions.
  [[nodiscard]] virtual bool is_dying() const noexcept { return false; }

 protected:
  ~Blocker() = default;
};

}  // namespace lockstep
