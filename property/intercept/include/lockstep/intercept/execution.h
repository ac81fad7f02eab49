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

// Threads that run in a host's world. While one of them runs, its calls of pthread functions,
// clocks, sleeps, sources of chance, sockets, pipes and polls come here, and so do those of the
// libraries that it uses. All other code of the process keeps the real functions.
//
// A process has one execution at a time, whose threads share one real thread. Single-threaded.
class Execution {
 public:
  explicit Execution(Host& host);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  // Forgets threads that have not ended, and closes all descriptors.
  ~Execution();

  // Does what an execution otherwise does once in a process: for processes that are forked from
  // this one. Throws std::logic_error for a program that cannot be intercepted, as the constructor
  // does.
  static void prepare();
  // The execution of this process; null if there is none.
  [[nodiscard]] static Execution* current() { return current_; }
  // The execution whose thread calls this from code under test; null for all other code.
  // Other real threads, and handlers on a stack of their own, call it at any time.
  [[nodiscard]] static Execution* of_caller() {
    Execution* const execution = of_stack();
    return inside_ ? nullptr : execution;
  }
  // The same, also for the runtime's own code on the stack of a thread.
  [[nodiscard]] static Execution* of_stack() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t above = here - stack_begin_.load(std::memory_order_relaxed);
    return above < stack_bytes_.load(std::memory_order_relaxed) ? current_ : nullptr;
  }

  // A thread of the host's: for example the one that runs main().
  Thread& start(std::function<void*()> body);
  [[nodiscard]] std::span<const std::unique_ptr<Thread>> threads() const { return threads_; }
  [[nodiscard]] Thread* running() const { return running_; }
  // From now on each thread of the host's is a process, together with the threads that it creates:
  // it has the variables of the program and its libraries for itself, as they were at the start.
  void separate_memory();
  // They are as they are now at the start. Otherwise the first execution with processes begins it.
  static void remember_start();
  // Ends the threads of that thread's process where they are. Their objects are not destroyed.
  void end_threads_of(Thread& thread);
  // A stream has changed: bytes have arrived, or it has ended.
  void descriptors_changed();
  // A descriptor becomes ready at another time: all that wait for descriptors look again.
  void deadlines_changed();
  // The descriptors of this execution.
  [[nodiscard]] Descriptors& descriptors() { return *descriptors_; }
  [[nodiscard]] Host& host() { return host_; }
  // Code under test can seed the first one, and not the second.
  [[nodiscard]] Randomness& randomness() { return randomness_; }
  [[nodiscard]] Randomness& entropy() { return entropy_; }

  // Calls of code at these addresses are no points at which another thread may come first, unless
  // they wait.
  void set_quiet(const void* begin, const void* end) {
    quiet_begin_ = begin;
    quiet_end_ = end;
  }

  // -- For the intercepted functions, on the stack of the running thread.
  // Another thread may come first. `from` is the caller.
  void point(std::string_view call, const void* from = nullptr);
  // The same, but the other threads that may go on come first by default.
  void give_way(std::string_view call);
  // Waits until somebody wakes the waiters of `object`, `condition` holds when descriptors change,
  // or that time has come.
  Woken wait(std::string_view call, const void* object,
             std::optional<std::chrono::nanoseconds> until = std::nullopt,
             Condition* condition = nullptr);
  // Wakes all waiters of `object`, or one of them, which is a choice.
  void wake_all(const void* object);
  void wake_one(const void* object);
  // Reports that the running thread has called `function`, which is not supported, or misuses it.
  // It does not go on.
  [[noreturn]] void refuse(std::string_view function, std::string_view why);
  // The running thread ends its process. Returns if the real one is to end.
  void end_process(std::string_view call, int status);
  Thread& create(std::function<void*()> body, bool by_library);
  // Waits for the end of that thread. Null and false if it comes later than `until`.
  struct Joined {
    bool has_ended;
    void* result;
  };
  Joined join(Thread& thread, std::string_view call,
              std::optional<std::chrono::nanoseconds> until = std::nullopt);
  static void detach(Thread& thread) { thread.detached_ = true; }
  [[nodiscard]] static bool detached(const Thread& thread) { return thread.detached_; }
  static void name(Thread& thread, std::string name) { thread.name_ = std::move(name); }
  void at_thread_exit(void (*function)(void*), void* argument);
  [[nodiscard]] void** specific(std::size_t key);
  // Ends the running thread.
  [[noreturn]] static void exit_thread(void* result);

  // Memory of the real thread that all threads share, although it is thread_local.
  static void share(const void* begin, std::size_t bytes);

  // The runtime calls code under test, which returns into the runtime.
  static void resume_code() {
    inside_ = false;
    runtime_ends();
  }
  static void enter_runtime() {
    runtime_begins();
    inside_ = true;
  }
  // Marks that the runtime itself runs, not the code under test.
  class Inside {
   public:
    Inside() { enter_runtime(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { resume_code(); }
  };

 private:
  friend class Thread;
  // A thread that waits: until somebody wakes the waiters of `object`, or `condition` holds.
  struct Waiter {
    std::uint32_t number;
    Thread* thread;
    const void* object;
    Condition* condition;
  };
  void forget_waiter(const Thread& thread);

  static inline Execution* current_ = nullptr;
  static inline Thread* running_ = nullptr;
  static inline bool inside_ = false;
  // The stack of the running thread. All stacks have one size, so that a switch changes one
  // variable: the beginning of one stack with the end of another would take in what lies between
  // them.
  static inline std::atomic<std::uintptr_t> stack_begin_ = 0;
  static inline std::atomic<std::size_t> stack_bytes_ = 0;

  Host& host_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Waiter> waiters_;  // By number.
  std::unique_ptr<Descriptors> descriptors_;
  std::unique_ptr<ProcessMemory> memory_;  // Null: all threads share the variables.
  Randomness randomness_;
  Randomness entropy_;
  const void* quiet_begin_ = nullptr;
  const void* quiet_end_ = nullptr;
};

}  // namespace lockstep::intercept
