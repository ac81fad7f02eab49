#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/intercept/host.h"
#include "lockstep/intercept/randomness.h"
#include "lockstep/intercept/thread.h"
#include "lockstep/intercept/thread_sanitizer.h"

namespace lockstep::intercept {

class Descriptors;
class ProcessMemory;
class Signals;
class StreamLocks;

// The intercepted threads of a host's world. While one of them runs, this library handles its calls
// to pthread functions, clocks, sleeps, random numbers, sockets, pipes and polls, and those of the
// libraries that it uses. All other code of the process gets the real functions.
//
// A process has at most one execution at a time, whose threads all run on one real thread.
// Single-threaded.
class Execution {
 public:
  // Throws std::logic_error if the program cannot be intercepted, or already has an execution.
  explicit Execution(Host& host);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  // Abandons threads that have not ended, without unwinding their stacks, and closes all
  // descriptors.
  ~Execution();

  // Does the work that the first execution of a process otherwise does, so that processes forked
  // from this one need not repeat it. Throws std::logic_error if the program cannot be intercepted.
  static void prepare();
  // Returns the execution of this process; null if there is none.
  [[nodiscard]] static Execution* current() { return current_; }
  // Counts the executions of this process from 1 on. Locks remember in which one they were taken: a
  // thread that is left in the middle leaves its locks taken, and they are free in the next one.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  // Returns the execution whose thread calls this from code under test; null for all other code.
  // Other real threads and signal handlers on an alternate stack may call it at any time.
  [[nodiscard]] static Execution* of_caller() {
    Execution* const execution = of_stack();
    return inside_ ? nullptr : execution;
  }
  // Like of_caller(), but also returns the execution if the runtime calls it on a thread's stack.
  [[nodiscard]] static Execution* of_stack() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t above = here - stack_begin_.load(std::memory_order_relaxed);
    return above < stack_bytes_.load(std::memory_order_relaxed) ? current_ : nullptr;
  }

  // Starts a thread of the host's, for example the one that runs main().
  Thread& start(std::function<void*()> body);
  [[nodiscard]] std::span<const std::unique_ptr<Thread>> threads() const { return threads_; }
  [[nodiscard]] Thread* running() const { return running_; }
  // From now on, each thread of the host's forms a process with the threads that it creates. Each
  // process has its own variables of the program and its libraries, which begin as they were at the
  // start (remember_start).
  void separate_memory();
  // Whether the object at that address belongs to a library whose variables all processes share,
  // such as libstdc++.
  [[nodiscard]] static bool is_shared(const void* object);
  // Real descriptors below that number are the hunt's: code under test does not close them.
  void set_first_file(int first) { first_file_ = first; }
  [[nodiscard]] int first_file() const { return first_file_; }
  // Remembers the present variables as those of the start. Without this call, the first
  // separate_memory() does it.
  static void remember_start();
  // Ends the threads of that thread's process where they are, without unwinding their stacks, and
  // closes the descriptors of the process.
  void end_threads_of(Thread& thread);
  // Wakes each thread whose Condition holds now. Call it after a stream has changed: bytes have
  // arrived, or it has ended.
  void descriptors_changed();
  // Call it after the running thread has loaded or unloaded libraries: each process gets its own
  // variables of those that are new.
  void libraries_changed();
  // Wakes all threads that wait for descriptors. Call it after the time at which a descriptor
  // becomes ready has changed, so that they set their timers again.
  void deadlines_changed();
  [[nodiscard]] Descriptors& descriptors() { return *descriptors_; }
  [[nodiscard]] Signals& signals() { return *signals_; }
  [[nodiscard]] StreamLocks& stream_locks() { return *stream_locks_; }
  [[nodiscard]] Host& host() { return host_; }
  // Code under test can seed randomness() by srand() and the like, but not entropy().
  // Each process with memory of its own has another randomness().
  [[nodiscard]] Randomness& randomness();
  [[nodiscard]] Randomness& entropy() { return entropy_; }

  // Calls from code in [begin, end) are not scheduling points, unless they wait: a hunt spends no
  // choices on the inside of a library.
  void set_quiet(const void* begin, const void* end) {
    quiet_begin_ = begin;
    quiet_end_ = end;
  }

  // -- For the intercepted functions, on the stack of the running thread. `call` is the function's
  // name, for reports.
  // A scheduling point: another thread may run first. `from` is the caller's address (set_quiet).
  void point(std::string_view call, const void* from = nullptr);
  // From now on, others can tell what the running thread's process has done: it connects, has a
  // port, or may write a file. The start of another thread has the same effect. Before that, its
  // calls are no scheduling points, because no order of them and other events makes a difference:
  // the start of an interpreter makes thousands of calls. After kMostUnobserved calls they are, so
  // that a loop without an end is seen.
  static constexpr std::uint32_t kMostUnobserved = 1'000'000;
  void becomes_observable() { running_->root_.is_observable_ = true; }
  // Like point(), but other threads that can go on run first by default.
  void give_way(std::string_view call);
  // Waits until another thread wakes the waiters of `object`, `condition` holds after a change of
  // descriptors, or the host's time is `until`.
  Woken wait(std::string_view call, const void* object,
             std::optional<std::chrono::nanoseconds> until = std::nullopt,
             Condition* condition = nullptr);
  void wake_all(const void* object);
  // Wakes one waiter of `object`, if there is any. Which one is a choice. If `object` is a variable
  // of a process with memory of its own, only threads of the running thread's process wait for it.
  void wake_one(const void* object);
  // Whether a thread waits for `object` in such a call.
  [[nodiscard]] bool any_waits(const void* object, bool (*in)(std::string_view call)) const;
  // Returns the number of all threads that wait.
  [[nodiscard]] std::size_t waiters() const { return waiters_.size(); }
  // Reports to the host that the running thread has called an unsupported function, or misused a
  // supported one. The thread does not go on.
  [[noreturn]] void refuse(std::string_view function, std::string_view why);
  // Ends the running thread's process. Returns only if the host simulates no processes: the caller
  // then ends the real process.
  void end_process(std::string_view call, int status);
  Thread& create(std::function<void*()> body, bool by_library);
  // Waits until the thread has ended. `has_ended` is false if it has not by `until`.
  struct Joined {
    bool has_ended;
    void* result;
  };
  Joined join(Thread& thread, std::string_view call,
              std::optional<std::chrono::nanoseconds> until = std::nullopt);
  static void detach(Thread& thread) { thread.detached_ = true; }
  [[nodiscard]] static bool detached(const Thread& thread) { return thread.detached_; }
  static void name(Thread& thread, std::string name) { thread.name_ = std::move(name); }
  // Registers the destructor of one of the running thread's thread_local variables.
  void at_thread_exit(void (*function)(void*), void* argument);
  // Returns the place of the running thread's value of a pthread key.
  [[nodiscard]] void** specific(std::size_t key);
  // Removes all threads' values of a pthread key.
  void forget_specific(std::size_t key);
  // The running thread has created a key, and keeps it at that address. If nothing there outlasts
  // the execution, the key does not either.
  void has_created(unsigned key, const void* at);
  void has_deleted(unsigned key) { std::erase(own_keys_, key); }
  // Ends the running thread: unwinds its stack, and runs the cleanup handlers on it.
  [[noreturn]] static void exit_thread(void* result);
  // C code without exceptions registers cleanup handlers as buffers of setjmp(), on its stack.
  static void add_cleanup(CleanupBuffer& buffer);
  static void remove_cleanup(CleanupBuffer& buffer);
  // The handler of that buffer has run during exit_thread(), which goes on.
  [[noreturn]] static void cleaned_up(CleanupBuffer& buffer);

  // From now on, threads begin with a copy of this thread_local memory of the real thread, which
  // must not change during an execution.
  static void share(const void* begin, std::size_t bytes);
  // The runtime and its World use this thread_local memory as threads do, so it must be the same
  // for all where they run without a change of thread_local variables.
  static void share_with_runtime(const void* begin, std::size_t bytes);
  // Restores the real thread's thread_local variables, which those of the last thread that went on
  // may still replace. Called before code under test runs that belongs to no thread.
  static void restore_thread_locals();

  // The runtime encloses each call of code under test in resume_code() and enter_runtime().
  static void resume_code() {
    inside_ = false;
    runtime_ends();
  }
  static void enter_runtime() {
    runtime_begins();
    inside_ = true;
  }
  // Marks a scope in which the runtime runs: its own calls of libc are not intercepted.
  class InRuntime {
   public:
    InRuntime() { enter_runtime(); }
    InRuntime(const InRuntime&) = delete;
    InRuntime& operator=(const InRuntime&) = delete;
    ~InRuntime() { resume_code(); }
  };
  // The reverse: marks that the runtime has called code under test.
  class InCode {
   public:
    InCode() { resume_code(); }
    InCode(const InCode&) = delete;
    InCode& operator=(const InCode&) = delete;
    ~InCode() { enter_runtime(); }
  };

 private:
  friend class Thread;
  // A waiting thread, and the arguments of its wait().
  struct Waiter {
    std::uint32_t number;
    Thread* thread;
    const void* object;
    Condition* condition;
  };
  void forget_waiter(const Thread& thread);
  [[nodiscard]] bool awaits(const Waiter& waiter, const void* object) const {
    return waiter.object == object && shares_memory(waiter, object);
  }
  [[nodiscard]] bool shares_memory(const Waiter& waiter, const void* object) const;
  // Whether others can tell what the thread's process has done.
  [[nodiscard]] bool is_observable(const Thread& thread) const {
    const bool is_only_one = memory_ || threads_.size() == 1;
    return thread.root_.is_observable_ || !is_only_one;
  }
  // Whether no other thread of its process is left.
  [[nodiscard]] bool is_last(Thread& thread) const;
  // A thread has ended, perhaps the last one of its process.
  void thread_ended(Thread& thread);
  // Closes the descriptors of a process that has ended, and frees its locks of streams.
  void process_ended(const Thread& root);
  // The running thread has done all its work. If the first thread of its process has left main()
  // by pthread_exit(), the process ends with its last thread, as in glibc.
  void is_done(Thread& thread);

  static inline Execution* current_ = nullptr;
  static inline Thread* running_ = nullptr;
  static inline bool inside_ = false;
  // The stack of the running thread. Other real threads read both variables at any time (of_stack).
  // All stacks have the same size, so a switch changes only one variable: with a stored end, a
  // reader could combine the beginning of one stack with the end of another.
  static inline std::atomic<std::uintptr_t> stack_begin_ = 0;
  static inline std::atomic<std::size_t> stack_bytes_ = 0;

  Host& host_;
  std::uint32_t number_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Waiter> waiters_;  // Sorted by the number of the thread.
  std::unique_ptr<Descriptors> descriptors_;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<StreamLocks> stream_locks_;
  std::unique_ptr<ProcessMemory> memory_;  // Null: all threads share the variables.
  std::vector<unsigned> own_keys_;         // Of pthread_key_create().
  std::vector<Randomness> randomness_;     // By the number of the process's first thread.
  Randomness entropy_;
  int first_file_ = 0;
  const void* quiet_begin_ = nullptr;
  const void* quiet_end_ = nullptr;
};

}  // namespace lockstep::intercept
