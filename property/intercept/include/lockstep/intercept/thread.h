#pragma once

#include <unwind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::stacks {
class OwnStack;
}

namespace lockstep::intercept {

class Execution;
class ThreadLocals;
struct CleanupBuffer;

// A condition that ends a thread's wait for descriptors. The execution checks it whenever
// descriptors change.
class Condition {
 public:
  [[nodiscard]] virtual bool holds() = 0;

 protected:
  ~Condition() = default;
};

// The reason why a wait has ended.
enum class Woken : std::uint8_t { kByEvent, kByTimer };

// An intercepted thread: code on a stack of its own. It leaves this stack in each intercepted call
// in which it waits or another thread may run first. Its execution owns it.
class Thread {
 public:
  // `by_library`: a library has created the thread, not the user's code, so hosts treat it as a
  // part of its creator.
  Thread(Execution& execution, std::uint32_t number, Thread* creator, bool by_library,
         std::function<void*()> body);
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  // Does not destroy the objects on the stack of a thread that has not ended.
  ~Thread();

  // -- For the host.
  // Runs the thread until it leaves its stack or ends.
  void go_on();
  // Ends the thread's wait, because its timer has fired.
  void timed_out();
  // For the host's own data.
  void* hosted = nullptr;

  // The scheduling and the processors (a cpu_set_t) that the code under test has given to the
  // thread. They have no effect.
  struct Scheduling {
    int policy = 0;
    int priority = 0;
    std::string processors;
  };
  Scheduling scheduling;
  // The memory of its stack; null after its end.
  [[nodiscard]] const void* stack_begin() const;
  [[nodiscard]] std::size_t stack_bytes() const;

  // Numbers follow the order of creation, from 0.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Thread* creator() const { return creator_; }
  [[nodiscard]] bool by_library() const { return by_library_; }
  // The name that pthread_setname_np() has set; empty by default.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool ended() const { return ended_ || killed_; }
  // Whether it ended with its process, wherever it was.
  [[nodiscard]] bool killed() const { return killed_; }
  // The thread of the host's that has created this one, directly or through others; itself if the
  // host has started it.
  [[nodiscard]] Thread& root() { return root_; }
  // The call in which the thread has left its stack, such as "pthread_mutex_lock".
  [[nodiscard]] std::string_view call() const { return call_; }
  // Whether a library has made that call; unknown, and false, of calls that do not tell their
  // caller's address (Execution::point).
  [[nodiscard]] bool is_called_by_library() const;
  // Whether the thread waits for another thread, a timer or the network.
  [[nodiscard]] bool waits() const { return waits_; }
  // Whether a timer can end the wait.
  [[nodiscard]] bool has_timer() const { return has_timer_; }
  // The number of waits that have ended. It grows as long as the thread makes progress.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }

 private:
  friend class Execution;
  void run();
  void run_code() noexcept;
  void run_body();
  [[noreturn]] void exit(void* result);
  [[noreturn]] void unwind();
  static _Unwind_Reason_Code stop_unwinding(int version, _Unwind_Action actions,
                                            _Unwind_Exception_Class kind,
                                            _Unwind_Exception* exception, _Unwind_Context* context,
                                            void* thread);
  void finish();
  void leave();
  void kill();
  void wake(Woken by);

  Execution& execution_;
  std::uint32_t number_;
  Thread* creator_;
  Thread& root_;
  bool by_library_;
  std::function<void*()> body_;
  std::unique_ptr<stacks::OwnStack> stack_;
  std::string name_;
  std::string_view call_ = "start";
  const void* caller_ = nullptr;  // The code whose call was the last scheduling point,
  std::string_view point_;        // and which one.
  bool waits_ = false;
  bool began_ = false;
  bool ended_ = false;
  bool killed_ = false;  // Ended with its process.
  bool detached_ = false;
  // The root's are those of its process (Execution::becomes_observable).
  bool is_observable_ = false;
  std::uint32_t unobserved_calls_ = 0;
  bool has_timer_ = false;
  Woken woken_ = Woken::kByEvent;
  std::uint64_t moves_ = 0;
  void* result_ = nullptr;
  bool inside_ = false;  // Execution::inside_ while the thread does not run.
  std::unique_ptr<ThreadLocals> locals_;
  std::vector<void*> specific_;  // Values of pthread keys, by key.
  struct ExitCall {
    void (*function)(void*);
    void* argument;
  };
  std::vector<ExitCall> at_exit_;  // Destructors of thread_local variables.
  bool has_exited_ = false;        // By exit().
  _Unwind_Exception exit_exception_{};
  std::array<void*, 5> end_{};    // Of its code: a buffer of __builtin_setjmp().
  std::uintptr_t end_frame_ = 0;  // The stack pointer of the function that has filled `end_`.
  CleanupBuffer* cleanup_buffer_ = nullptr;  // The last one (add_cleanup()).
};

}  // namespace lockstep::intercept
