#pragma once

#include "lockstep/executor.h"
#include "lockstep/lock_owner.h"

namespace lockstep {

// A call that keeps its caller waiting. run() begins it, on its executor; when it is over, it tells
// Blocker::over() there, once, as the last thing it does. Lives where its caller waits.
class BlockingCall : public Runnable {
 public:
  // `gives_back`: it gives something back, which destructors do, so that Blocker::block() must not
  // throw even if nobody can wait for it. `has_no_value`: its caller can go on without it, as code
  // can that is being unwound.
  BlockingCall(Executor& executor, bool gives_back, bool has_no_value = false)
      : is_release(gives_back), can_be_left(has_no_value), executor_(executor) {}
  [[nodiscard]] Executor& executor() const noexcept { return executor_; }

  const bool is_release;
  const bool can_be_left;
  // For the blocker that holds it.
  void* waiter = nullptr;
  bool is_over = false;

 private:
  Executor& executor_;
};

// The one door through which blocking code waits for what an executor does: a thread outside of the
// production backend's loop, a test that runs its simulation by hand, a fiber of a hunt. Every
// Executor has one, and nothing else in this library blocks.
class Blocker {
 public:
  Blocker() = default;
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  // Posts `call` to its executor and keeps the caller here until the call is over. Called where the
  // blocking code runs, never by what the executor itself runs: that would wait for itself, and is
  // told so with std::system_error, std::errc::resource_deadlock_would_occur. A blocker that can
  // see that the call will never end throws, too. Whatever it throws, the executor does not use the
  // call any more, once the caller has destroyed it. In a simulated process that is dying a release
  // returns before it is over, and goes on without its caller; so does a call without a value that
  // is made while an exception unwinds its caller; any other call throws.
  virtual void block(BlockingCall& call) = 0;
  // The caller may go on, and the call be gone when this returns. On the call's executor.
  virtual void over(BlockingCall& call) noexcept = 0;
  // Who calls: what runs in parallel with its likes, a thread or a fiber.
  [[nodiscard]] virtual LockOwner caller() const = 0;
  // True in a forked child of the process that made the executor: nothing that runs there is here,
  // and what is held there is the parent's. From any thread.
  [[nodiscard]] virtual bool is_in_child() const noexcept { return false; }

 protected:
  ~Blocker() = default;
};

}  // namespace lockstep
