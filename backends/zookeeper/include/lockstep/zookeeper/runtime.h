#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "lockstep/blocker.h"
#include "lockstep/executor.h"
#include "lockstep/internal/timer_queue.h"
#include "lockstep/random.h"
#include "lockstep/task.h"
#include "lockstep/task_set.h"

namespace lockstep::zookeeper {

// The executor of the production backend: a loop on the thread that calls run(), with real time.
// Work posted on that thread runs before the next item that another thread has posted, so
// everything that one reply or watch event wakes has run before the next one is delivered. Due
// timers and such items take turns.
//
// Until run() is first called, the thread that made the runtime counts as the loop's thread. Must
// outlive everything that uses it.
//
// Other threads may block on the loop (Blocker) while run() is in progress. A call that blocks
// while the loop does not run, or from inside the loop, would never return, and gets an error
// instead. A release gets none, because it may be a destructor's: it begins and goes on in the
// background on the loop's thread, and does nothing on another one without a loop. If run() ends
// meanwhile, blocked calls wait for the next one; no call may be blocked when the runtime is
// destroyed (checked). See ClientThread.
//
// A forked child has neither the loop nor the C client's threads, and the connection is its
// parent's. There, blocking calls get std::errc::operation_not_permitted at once, and so does
// run(), even the one in whose middle the fork was; requests fail with kInvalidState; a release
// does nothing. Destructors do not wait, and leave the parent's session alone. A child that wants
// locks makes its own client, or is forked before its parent has one.
class Runtime final : public Executor, private Blocker {
 public:
  Runtime();
  ~Runtime() override;

  // Runs the loop until `task` has ended, and rethrows its exception. An exception that escapes
  // from a spawned task, a session's background task, a listener or posted work ends run() in the
  // same way, and `task` with it; the work queued after that runs next time. Spawned tasks that
  // have not ended stay suspended until the next run(). Not from inside the loop.
  void run(Task<void> task);

  // Starts a task that is not awaited. On the loop's thread only.
  void spawn(Task<void> task);
  // Destroys the spawned tasks that have not ended. On the loop's thread only, and not in one of
  // them (checked).
  void drop_spawned() noexcept { spawned_.clear(); }

  // Seeded from the operating system. On the loop's thread only.
  [[nodiscard]] Random& random() noexcept { return *random_; }

  // Steady time.
  [[nodiscard]] TimePoint now() const override;
  void post(Runnable& work) override;
  // Queues `work` as if another thread had posted it: after all work that the loop's own thread has
  // posted.
  void post_as_outside(Runnable& work);
  void withdraw(Runnable& work) noexcept override;
  void start_timer(Timer& timer, TimePoint due) override;
  void stop_timer(Timer& timer) noexcept override;
  void escaped(std::exception_ptr exception) noexcept override;
  [[nodiscard]] Blocker& blocker() noexcept override { return *this; }

  // True in a forked child: see above. From any thread.
  [[nodiscard]] bool is_in_child() const noexcept override;

 private:
  // First in, first out, intrusive, circular: work can leave without knowing which queue holds it.
  class Queue {
   public:
    Queue() noexcept;
    void push(Runnable& work) noexcept;
    [[nodiscard]] Runnable* pop() noexcept;
    static void erase(Runnable& work) noexcept;

   private:
    class End final : public Runnable {
      void run() override {}
    };
    End end_;
  };

  class Running;

  // Does not lock in a child, which has one thread: a thread of the parent may hold the lock there
  // for good.
  [[nodiscard]] std::unique_lock<std::mutex> locked();

  void block(BlockingCall& call) override;
  void over(BlockingCall& call) noexcept override;
  [[nodiscard]] LockOwner caller() const override;

  void push(Queue& queue, Runnable& work);
  [[nodiscard]] Runnable& wait_for_work();
  void run_next();
  Task<void> keep_exception(Task<void> task);
  Task<void> run_main(Task<void> task, bool& ended);

  const unsigned forks_;
  std::mutex mutex_;
  // Destroyed with the runtime, but not in a forked child: the copied state says that the loop's
  // thread waits, the destructor would wait for it to wake, and that thread does not exist.
  union {
    std::condition_variable work_came_;
  };
  std::thread::id loop_thread_;
  Queue local_;
  Queue outside_;
  bool sleeping_ = false;
  bool outside_is_next_ = false;  // A timer has had its turn.
  bool running_ = false;
  std::size_t blocked_ = 0;

  // The loop's thread only.
  internal::TimerQueue timers_;
  std::unique_ptr<Random> random_;
  TaskSet spawned_;
  std::exception_ptr escaped_;
};

}  // namespace lockstep::zookeeper
